"""The one way for text from elsewhere into a prompt, a message or a request."""
