"""What commands keep on disk: results of pure functions, and answers of the machine that outputs follow from."""
