"""Counting: the estimate, and the counter that may wrap an exact tokenizer."""
