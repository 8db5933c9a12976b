"""Checks what the program needs on this machine."""
