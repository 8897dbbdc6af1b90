"""Moltis: a personal agent that is put together from files of its own, facts about the machine, and its tools."""
