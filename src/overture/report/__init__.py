"""Prompt -> what a person wants to know."""
