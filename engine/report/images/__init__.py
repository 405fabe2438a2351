"""The part of a report that is about images: figures with intervals, and the pictures side by side."""
