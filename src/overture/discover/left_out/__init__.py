"""What lies here and is not said: copies, instruction files and skills of other tools, what lies above."""
