"""Findings as other programs take them."""
