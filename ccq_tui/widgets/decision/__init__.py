"""The layout of a permission or a plan in a panel."""
