"""Runs one function over many inputs: here, in several processes, or on an engine."""
