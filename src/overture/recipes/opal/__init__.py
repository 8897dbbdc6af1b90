"""Opal: six sections, each in an XML-style tag."""
