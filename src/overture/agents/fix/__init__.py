"""`overture agents --fix`: writes the planned changes, and remembers how to undo them."""
