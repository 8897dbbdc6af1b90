"""The page: what of a project or a session it shows, as it happens, and how a browser asks for it."""
