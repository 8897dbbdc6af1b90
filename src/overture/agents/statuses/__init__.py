"""What becomes of each file for one agent: told, read later or never, and why."""
