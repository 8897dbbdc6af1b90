"""What a Prompt is made of."""
