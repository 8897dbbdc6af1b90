"""Configuration: its keys, where it is read, and recipes in files."""
