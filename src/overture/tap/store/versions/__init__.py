"""The shapes that a store has had, one step forward each."""
