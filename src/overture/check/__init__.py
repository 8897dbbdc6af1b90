"""Finds problems in a prompt and in its source files."""
