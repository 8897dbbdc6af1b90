"""house: the sections of the five recipes in tags, stable before volatile, the clock in the user's message."""
