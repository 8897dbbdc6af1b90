"""One file for each form of request."""
