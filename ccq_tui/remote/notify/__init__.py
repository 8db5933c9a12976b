"""Notifications that reach a person away from the terminal."""
