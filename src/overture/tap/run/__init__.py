"""A run of the tap: the program that it starts, and its output meanwhile and at the end."""
