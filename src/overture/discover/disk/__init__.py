"""How the disk is read."""
