"""Changing one value in a settings file, and nothing else in it."""
