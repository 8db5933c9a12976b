"""A session that is killed again and again, and must lose nothing and tell nothing twice."""
