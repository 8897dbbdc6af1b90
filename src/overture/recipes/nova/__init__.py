"""Nova: ten tagged sections, identity before context, context before state; nobody appends to them."""
