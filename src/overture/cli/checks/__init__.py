"""What `check` and `skills` share: letting the rules look, and writing mends."""
