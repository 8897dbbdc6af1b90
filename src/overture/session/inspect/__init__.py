"""`inspect=True`: a session publishes its turns, for a page in another process to show as they happen."""
