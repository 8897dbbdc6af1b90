"""Functions on plain text: they know no type of ours."""
