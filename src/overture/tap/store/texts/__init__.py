"""Texts, each kept once: how they are packed, and the lists by which a call names those that it sent."""
