"""A recipe that is written in TOML."""
