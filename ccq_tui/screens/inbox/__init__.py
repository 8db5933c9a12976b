"""The inbox screen: everything that waits for a person, in all sessions, and answered where it is listed."""
