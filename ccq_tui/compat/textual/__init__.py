"""Private parts of Textual, one a module."""
