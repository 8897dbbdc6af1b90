"""What providers return, and what SDKs hand over, is read here: responses, contents, usage."""
