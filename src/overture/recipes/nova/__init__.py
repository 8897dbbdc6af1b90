"""Nova: ten tagged sections, identity before context, context before state. It is sealed: hooks can't edit it."""
