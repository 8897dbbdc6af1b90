"""What a recipe wants read, as data."""
