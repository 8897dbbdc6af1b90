"""Keys and tokens in a text: their shapes, which of them are likely real, and their positions."""
