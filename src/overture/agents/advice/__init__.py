"""Finds the fewest changes by which agents load the same files."""
