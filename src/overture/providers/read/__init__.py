"""Readers that several providers share, of requests and of objects of SDKs: replies, contents, calls."""
