"""Revisions of git: how they are named, and a world that reads one without a checkout."""
