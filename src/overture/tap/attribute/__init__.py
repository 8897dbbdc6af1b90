"""What was sent, backwards: which words of a captured text stand in which file, and on which lines."""
