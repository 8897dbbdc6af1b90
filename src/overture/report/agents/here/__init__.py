"""What agents read in one place: as lines, as a grid of files, as plain data."""
