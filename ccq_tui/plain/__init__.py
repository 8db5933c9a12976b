"""Every surface line by line, for dumb terminals, pipes and screen readers."""
