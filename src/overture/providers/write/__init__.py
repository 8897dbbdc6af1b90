"""Writers of requests that several providers share."""
