"""Who may ask, how much, how long, and what is noted of it."""
