"""`overture serve`: what programs in other languages ask for over HTTP. All that is answered is made from the request."""
