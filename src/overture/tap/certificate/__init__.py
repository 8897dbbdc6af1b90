"""A certificate authority for one run: its key is in memory alone, and one process trusts it, by its environment."""
