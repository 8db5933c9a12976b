"""The part of a session that faces the CLI: messages, requests, records. Most of it imports the SDK."""
