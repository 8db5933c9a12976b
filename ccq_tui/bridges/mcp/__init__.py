"""The MCP server for any agent that asks a person: its tools put question sets into the inbox and wait."""
