"""What changes a session between two turns."""
