"""The two databases behind one small face: SQLite, which every Python brings, and PostgreSQL for a team."""
