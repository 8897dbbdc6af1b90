"""Prompt + budget -> Prompt."""
