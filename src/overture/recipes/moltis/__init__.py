"""Moltis: a personal agent, built from its own files, facts about the machine, and its tools."""
