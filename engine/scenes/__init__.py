"""Small drawn scenes with captions in the categories of visual elements: what `tiny-scenes` learns from, and what it is checked against."""
