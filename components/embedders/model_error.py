"""What goes wrong with the packaged embedder's model."""


class ModelError(RuntimeError):
    """The model can't be prepared or loaded; the message names the folder or package, the reason and the way out."""
