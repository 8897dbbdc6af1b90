"""Taking a turn: what is current, the hooks, and what is sent."""
