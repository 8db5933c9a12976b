"""Keys: one table of them, and the gate that judges each."""
