"""The service for programs, and the page in the browser."""
