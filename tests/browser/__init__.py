"""The page in a real browser, by what a person sees."""
