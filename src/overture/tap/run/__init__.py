"""A run of the tap: what is started, what is said meanwhile and at its end."""
