"""A provider on loopback that caches by the published rules, and reports the usage that follows from them.

It knows nothing of the package: it has a tokenizer, a table and a cache of its own.
"""
