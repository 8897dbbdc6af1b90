"""A session: the one object that changes over time. It rebuilds the prompt when an input changes."""
