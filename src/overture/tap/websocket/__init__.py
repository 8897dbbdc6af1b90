"""Calls that go by WebSocket: read from copies of the bytes, in the thread that records."""
