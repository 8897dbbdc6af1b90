"""Reports what is in the project and not read."""
