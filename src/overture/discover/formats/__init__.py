"""How what was read is taken apart."""
