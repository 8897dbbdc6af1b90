"""What rules look at: lines, mentioned files and commands, and what the project has of them."""
