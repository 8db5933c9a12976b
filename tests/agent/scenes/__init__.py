"""Scenes that need nothing of a session but that it runs: all of them are played on one.

Each module has a function ``scenes(stage)``.
"""
