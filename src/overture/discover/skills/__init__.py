"""Finds skills, and reads SKILL.md."""
