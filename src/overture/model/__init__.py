"""The nouns: frozen data that imports nothing of ours from above and reads nothing."""
