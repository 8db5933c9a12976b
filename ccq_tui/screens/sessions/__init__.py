"""Several sessions side by side in one terminal: opened, shown, watched and closed."""
