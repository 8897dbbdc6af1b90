"""Predicted reads from a provider's cache, and the cause of each miss."""
