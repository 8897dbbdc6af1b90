"""Files of a session: found, followed, watched, read again."""
