"""Facts of the Unicode standard that Python does not have."""
