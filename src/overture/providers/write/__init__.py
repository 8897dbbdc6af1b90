"""What providers share in writing a request."""
