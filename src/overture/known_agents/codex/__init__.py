"""Codex: what it reads, and what it alone does."""
