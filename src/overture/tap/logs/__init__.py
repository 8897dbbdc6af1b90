"""Logs that exist already become calls in the store: opened, read, without secrets."""
