"""Functions that set up a session, reloaded as units."""
