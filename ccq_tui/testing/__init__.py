"""A scripted model for tests and the demo: a Messages API on loopback that plays scenarios."""
