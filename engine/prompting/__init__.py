"""The methods, VPRAG's retrieval mathematics, the prompt budget and the assembly of a prompt."""
