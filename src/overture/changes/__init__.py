"""Product: what did this change do to what agents read? Two revisions, the lock, pull requests."""
