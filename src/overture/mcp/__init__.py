"""Product: what a coding agent asks about the repository it works in, over the Model Context Protocol."""
