"""Files and skills as an agent of somebody else's is told of them: in its frames, within its limits."""
