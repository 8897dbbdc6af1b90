"""A request and its answer as bytes -> a call. One file for each provider's form; whatever the bytes are, none raises."""
