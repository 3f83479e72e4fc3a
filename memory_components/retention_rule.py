"""A gate of four numbers, which keeps what people felt strongly about and ask again."""

import numpy as np

LEAST, MOST = 0.05, 1.0


class RetentionRule:
    """
    `base + strength x |reward| + repeated x min(recurrence, 5) / 5 + new x novelty`, cut to 0.05..1.

    Usage example:
    ```python
    RetentionRule().importance(vector, reward=1.0, novelty=0.1, recurrence=2)
    ```

    :param base: What each episode has.
    :param strength: What a reward of 1 or -1 adds: clear bad ratings are worth as much as good ones.
    :param repeated: What five like questions before add.
    :param new: What a question like nothing before adds.
    """

    def __init__(self, base: float = 0.2, strength: float = 0.4, repeated: float = 0.3, new: float = 0.1):
        self.base = base
        self.strength = strength
        self.repeated = repeated
        self.new = new

    def importance(self, vector: np.ndarray, reward: float, novelty: float, recurrence: float) -> float:
        """
        How much an episode is worth keeping; the parameters are those of `RetentionGate`.

        :returns: 0.05 to 1.
        """
        value = self.base + self.strength * abs(reward) + self.repeated * min(recurrence, 5) / 5 + self.new * novelty
        return float(min(max(value, LEAST), MOST))
