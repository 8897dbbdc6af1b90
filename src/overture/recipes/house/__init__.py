"""house: everything that the five can say, tagged, slow before fast, the clock in the user's message."""
