"""What the bridges decide without any client."""
