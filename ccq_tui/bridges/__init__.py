"""Other askers: each puts requests into the inbox, and takes their outcomes out."""
