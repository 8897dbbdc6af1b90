"""What commands share: options, gathering a state, tables, colours, progress."""
