"""The checks of `mien doctor`: each a function that returns what it found, with a remedy where something is wrong."""
