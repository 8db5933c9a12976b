"""Sessions over claude-agent-sdk: commands in, typed events out. Nothing else of the program uses the SDK."""
