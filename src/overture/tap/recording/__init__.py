"""What has passed becomes calls in a store: unpacked, read, without secrets."""
