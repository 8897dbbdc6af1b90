"""What is kept of what passed, in SQLite: each text once, and readable by the user alone."""
