"""What is found on disk, and what is said of it."""
