"""The commands about what the tap has seen."""
