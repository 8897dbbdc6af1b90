"""Skills: the folders that hold them, what lies in those, which of two counts, and in which order."""
