"""A request and its answer as bytes -> a call. A file for each provider's form; no bytes make one raise."""
