"""A session of another process on the page: finding it, following it, showing it."""
