"""`overture tap`: the way between a program and its provider, and what is kept of what passes."""
