"""What is kept of what passed: in SQLite, or in PostgreSQL; each text once, and readable by the user alone."""
