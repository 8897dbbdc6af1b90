"""One file for each format of logs that calls are imported from."""
