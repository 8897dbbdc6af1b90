"""Captured prompts and calls as the page shows them: sheets and rows of turns."""
