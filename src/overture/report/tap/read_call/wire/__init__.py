"""Bytes of a body -> JSON values, and the events of streams."""
