"""Images: decoded once, rendered and looked at by models that `actors/` hold."""
