"""Requests and answers as HTTP: where they begin and end, how a head is readdressed, what the tap itself says."""
