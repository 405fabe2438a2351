"""What holds a model: plain classes, usable without Ray. Construct, call with a batch, close."""
