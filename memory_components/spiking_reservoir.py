"""A fixed random network of spiking neurons that turns a vector into patterns over time."""

import numpy as np

_SEED = 20240401


class SpikingReservoir:
    """
    Leaky integrate-and-fire neurons with fixed random weights, never trained.

    Each step a neuron keeps `leak` of its potential, adds its share of the input and of the spikes of the step before,
    and spikes when it reaches 1, which takes 1 from it.

    Usage example:
    ```python
    SpikingReservoir().run(vectors)  # (8, n, 48) of 0 and 1
    ```

    :param neurons: How many neurons.
    :param steps: How many steps.
    :param leak: What is left of a potential after one step.
    :param dimension: Length of the input.
    """

    def __init__(self, neurons: int = 48, steps: int = 8, leak: float = 0.8, dimension: int = 384):
        random = np.random.default_rng(_SEED)
        self.neurons = neurons
        self.steps = steps
        self._leak = np.float32(leak)
        # Unit inputs give currents of about 0.5; one neuron in ten drives another, half of them the other way.
        self._input = random.normal(0, 0.5, (dimension, neurons)).astype(np.float32)
        tied = random.random((neurons, neurons)) < 0.1
        self._recurrent = (random.normal(0, 0.3, (neurons, neurons)) * tied).astype(np.float32)

    def run(self, vectors: np.ndarray) -> np.ndarray:
        """
        Let vectors act on the neurons at rest.

        :param vectors: Unit vectors, (n, dimension).
        :returns: The spikes, (steps, n, neurons), float32 of 0 and 1.
        """
        current = vectors.astype(np.float32) @ self._input
        potential = np.zeros_like(current)
        spikes = np.zeros((self.steps, *current.shape), np.float32)
        for step in range(self.steps):
            before = spikes[step - 1] if step else np.zeros_like(current)
            potential = potential * self._leak + current + before @ self._recurrent
            spikes[step] = potential >= 1
            potential -= spikes[step]
        return spikes
