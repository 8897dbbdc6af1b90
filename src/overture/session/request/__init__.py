"""The next request of a framework that keeps its own messages: what to add to them, what was sent, what it cost."""
