"""A session's transcript as data: its blocks, their order, the calls of tools, and its export."""
