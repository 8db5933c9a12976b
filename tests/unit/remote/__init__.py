"""The relay, the publisher and notifications."""
