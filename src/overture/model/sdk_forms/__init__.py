"""What SDKs hand over -> our nouns, by shape alone: no SDK is imported."""
