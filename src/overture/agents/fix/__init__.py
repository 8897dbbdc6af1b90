"""Makes the fewest safe changes by which every instruction file and skill reaches the agents in use."""
