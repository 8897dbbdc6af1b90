"""Text from outside becomes SafeText."""
