"""What agents read, as data and in words."""
