"""MCP servers of a session: their tools, their instructions, and calls to them."""
