"""The service without a session."""
