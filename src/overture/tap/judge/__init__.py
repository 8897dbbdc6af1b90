"""What calls cost, what the cache returned, and why it missed: pure, of calls alone."""
