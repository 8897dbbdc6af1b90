"""What other people's agents read: the facts as data, and whether we say the same."""
