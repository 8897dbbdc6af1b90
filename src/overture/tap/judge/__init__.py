"""What an agent sent, as it was seen on its way: calls, their sections and sources, what changed, what it cost."""
