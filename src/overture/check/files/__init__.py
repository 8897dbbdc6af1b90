"""Rules about what files say: to each other, to the README, and to agents that cut them."""
