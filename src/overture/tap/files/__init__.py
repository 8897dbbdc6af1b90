"""Which files may be behind what was sent, and what of them was."""
