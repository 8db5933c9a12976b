"""Keys as data: their names, and the one table of what each of them does where."""
