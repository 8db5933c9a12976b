"""Any agent that speaks MCP asks a person: its tools put question sets into the inbox and wait for them."""
