"""What is known of files, in numbers: their words and lines, and the index by which they are found again."""
