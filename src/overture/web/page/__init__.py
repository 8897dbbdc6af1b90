"""The page: what the browser asks for, and what it is told while it looks."""
