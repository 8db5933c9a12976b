"""The overview: all sessions by what they need, a card each."""
