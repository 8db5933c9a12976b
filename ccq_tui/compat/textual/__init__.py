"""Private parts of Textual, one in each module."""
