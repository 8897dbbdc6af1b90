"""A request and its answer as bytes -> a call, by the readers of the providers; no bytes make one raise."""
