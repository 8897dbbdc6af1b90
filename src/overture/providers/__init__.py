"""One module for each provider: write a request, read a request, read a response, usage."""
