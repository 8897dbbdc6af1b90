"""A path that somebody asks about: what lies there, and what it is."""
