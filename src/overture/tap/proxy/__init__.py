"""Bytes pass as they come, in both directions; a copy of calls is kept, and the traffic never waits for it."""
