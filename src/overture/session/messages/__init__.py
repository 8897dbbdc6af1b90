"""The conversation: its messages, replies, results, templates and skills."""
