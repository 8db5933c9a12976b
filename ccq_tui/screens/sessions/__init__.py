"""Several sessions side by side in one terminal: which there are, which is shown, and what waits in them."""
