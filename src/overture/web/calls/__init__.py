"""What the tap has recorded, on the page: the store as it grows, judged calls, the files behind one."""
