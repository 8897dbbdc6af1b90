"""What is looked for, one file for each kind."""
