"""What a program sends to a model, recorded on its way, judged and attributed."""
