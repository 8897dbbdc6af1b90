"""How each report looks in a terminal."""
