"""Reads the world into a State: files, git, environment, clock."""
