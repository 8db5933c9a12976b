"""Other surfaces over HTTP: relay, page, publisher, notifications; `docs/dev/relay-protocol.md`."""
