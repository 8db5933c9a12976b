"""Requests are asked and answered here the same for all surfaces: what is typed, given as data, or chosen."""
