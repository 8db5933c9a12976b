"""The inbox screen: lists the requests that wait in all sessions, and answers them in place."""
