"""The page: the answers to the browser's requests, and the events that it gets while it is open."""
