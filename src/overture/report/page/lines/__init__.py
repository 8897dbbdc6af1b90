"""Turns as lines of JSON, each text in them once: written by the session that takes them, read by who looks on."""
