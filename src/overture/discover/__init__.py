"""The world: the only folder that reads files, environment, clock and host."""
