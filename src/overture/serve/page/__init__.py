"""The page's side of the server: what a browser asks for, and what it is answered."""
