"""What the numbers mean: records, scores, retrieval, the store, the report. Imports no ray, vllm, diffusers or faiss."""
