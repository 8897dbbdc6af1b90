"""MCP servers of a session: their tools, what they say of themselves, and calls to them."""
