"""What no linter checks of the program's words and names: ``python -m checks``."""
