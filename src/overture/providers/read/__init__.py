"""What readers of several providers share, and what SDKs hand over: replies, contents, calls."""
