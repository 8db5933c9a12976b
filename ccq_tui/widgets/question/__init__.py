"""The layout of a question set in a panel."""
