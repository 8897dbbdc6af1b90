"""What agents write down of their own sessions."""
