"""One file for each provider's form of request."""
