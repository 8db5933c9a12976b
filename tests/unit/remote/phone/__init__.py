"""The one command to begin."""
