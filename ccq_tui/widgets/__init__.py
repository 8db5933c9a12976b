"""Widgets: they draw states and send messages, and decide nothing."""
