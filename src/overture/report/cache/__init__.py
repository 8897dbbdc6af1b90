"""What a provider's cache would give back, and what stops it."""
