"""A call as it was on the wire: its heads, its body byte for byte, the events of its answer; and as cURL."""
