"""Prompt -> what each provider wants, as plain dicts."""
