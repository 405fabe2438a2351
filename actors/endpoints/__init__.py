"""Served models: OpenAI-compatible endpoints, Anthropic's, and the providers' batches, over one HTTP client with one rate limit."""
