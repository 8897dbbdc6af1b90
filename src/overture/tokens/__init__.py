"""Counting: the estimate, and the counter behind which an exact tokenizer may stand."""
