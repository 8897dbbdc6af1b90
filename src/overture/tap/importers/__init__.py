"""Logs that others have written -> calls, one file for each form; nothing that stands in a log makes one raise."""
