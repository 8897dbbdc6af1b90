"""What `overture agents` does besides its table: compare two of them, and let them read the same."""
