"""What prompts are made of, written down so that a change of it is seen."""
