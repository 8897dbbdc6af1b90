"""A call as it was on the wire: its heads, and its body byte for byte; and as cURL."""
