"""How much has room in a terminal."""
