"""What `check` looks at besides the prompt: the files of the project, and what of their words is there."""
