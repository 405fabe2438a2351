"""What runs where: Ray Data pipelines, the command line, cluster operations."""
