"""`overture serve`: what programs in other languages ask over HTTP. An answer is made from its request alone."""
