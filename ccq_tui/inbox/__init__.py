"""Requests that wait for a person, and the interface through which they are asked and answered."""
