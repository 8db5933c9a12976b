"""Settings, their sources, and the launch of one run."""
