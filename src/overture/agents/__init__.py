"""Agents of other people: which are used here, and what each of them is told."""
