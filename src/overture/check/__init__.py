"""What is wrong in a prompt and in the files behind it."""
