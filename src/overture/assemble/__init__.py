"""Recipe + State -> Prompt."""
