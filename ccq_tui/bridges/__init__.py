"""Other askers of a person: each puts requests into the inbox, and takes their outcomes out."""
