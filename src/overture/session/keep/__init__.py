"""Keeping a session: saved, and resumed."""
