"""The service with a real CLI and a scripted model."""
