"""Values -> text: what two or more recipes say."""
