"""Lint of a prompt and of the files behind it: rules that look, and what they found."""
