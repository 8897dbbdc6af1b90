"""What a Recipe is made of."""
