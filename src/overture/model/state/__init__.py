"""What a State is made of."""
