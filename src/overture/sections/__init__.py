"""Values -> text: the parts of sections that two or more recipes use."""
