"""What is kept of what passes: copies without keys, recorded in a thread of their own."""
