"""Two revisions of a repository -> what differs in the prompt: by section, file and line, and as a comment."""
