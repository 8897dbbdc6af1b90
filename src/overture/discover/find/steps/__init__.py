"""Steps: what an agent looks for, one thing after the other, in the folders where it looks."""
