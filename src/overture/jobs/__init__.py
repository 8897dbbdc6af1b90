"""What commands share that run over many inputs: an output folder, chunks in several processes, a rate."""
