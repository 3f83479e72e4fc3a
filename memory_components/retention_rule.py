"""A gate of four numbers, which keeps what people felt strongly about, ask again, and can still change an answer."""

import numpy as np

LEAST, MOST = 0.05, 1.0


class RetentionRule:
    """
    `base + strength x |reward| + repeated x min(recurrence, 5) / 5 + changing x room`, cut to 0.05..1; the base alone
    when the reward is 0.

    Usage example:
    ```python
    RetentionRule().importance(vector, reward=1.0, novelty=0.1, recurrence=2)
    ```

    :param base: What each episode has.
    :param strength: What a reward of 1 or -1 adds: clear bad ratings are worth as much as good ones.
    :param repeated: What five like questions before add.
    :param changing: What a document that one place up would help most adds.
    """

    def __init__(self, base: float = 0.2, strength: float = 0.2, repeated: float = 0.1, changing: float = 0.5):
        self.base = base
        self.strength = strength
        self.repeated = repeated
        self.changing = changing

    def importance(
        self, vector: np.ndarray, reward: float, novelty: float, recurrence: float, room: float = 1.0
    ) -> float:
        """
        How much an episode is worth keeping; the parameters are those of `RetentionGate`.

        :returns: 0.05 to 1.
        """
        value = self.base
        if reward:
            value += self.strength * abs(reward) + self.repeated * min(recurrence, 5) / 5 + self.changing * room
        return float(min(max(value, LEAST), MOST))
