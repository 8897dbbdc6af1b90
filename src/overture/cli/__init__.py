"""The command line: one command a file, each of which parses, calls and prints."""
