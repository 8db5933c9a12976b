"""The HTTP relay between terminals and devices; `docs/dev/relay-protocol.md` has its rules."""
