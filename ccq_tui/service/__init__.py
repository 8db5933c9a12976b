"""Tickets become sessions: runs without a screen, whose questions are answered where people are."""
