"""Instruction files and skills: where a recipe or an agent looks for them, and what it loads."""
