"""Takes a turn: brings the prompt up to date, runs the hooks, makes the messages to send."""
