"""The rules: each module holds the rules of one subject in `RULES`."""
