"""Resolves the recipe and settings of a folder: the inputs of discovery."""
