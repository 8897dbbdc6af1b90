"""Prompt -> reports: its sources, sizes and cuts, its differences, and the files that it does not load."""
