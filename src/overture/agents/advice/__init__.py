"""What could be mended so that agents read the same, why they do not, and which change does it."""
