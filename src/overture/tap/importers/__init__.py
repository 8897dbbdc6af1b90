"""Imports logs of other programs into a store: found, opened, read, and reported."""
