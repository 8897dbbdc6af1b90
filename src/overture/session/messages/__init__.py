"""What is said: the conversation, and what becomes a message."""
