"""The program's own slash commands, without a screen."""
