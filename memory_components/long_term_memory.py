"""The trained retention gate: how much an episode is worth keeping."""

from pathlib import Path

import numpy as np
import onnxruntime

from memory_components.spiking_reservoir import SpikingReservoir

WEIGHTS = Path(__file__).with_name("retention_gate.onnx")
_LEAST, _MOST = 0.05, 1.0


class LongTermMemory:
    """
    A spiking reservoir and a recurrent network (GRU) that reads its spikes beside reward, novelty, recurrence and room.

    The network was trained on simulated streams, see `benchmarks/retention/train_gate.py`; it runs on ONNX Runtime.
    `memory_components.retention_rule.RetentionRule` takes its place with `upkeep: {gate: rule}`.

    Usage example:
    ```python
    LongTermMemory().importance(vector, reward=1.0, novelty=0.1, recurrence=2)
    ```

    :param weights: The network's file.
    """

    def __init__(self, weights: Path = WEIGHTS):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._network = onnxruntime.InferenceSession(weights, options, ["CPUExecutionProvider"])
        self._reservoir = SpikingReservoir()

    def importance(
        self, vector: np.ndarray, reward: float, novelty: float, recurrence: float, room: float = 1.0
    ) -> float:
        """
        How much an episode is worth keeping; the parameters are those of `RetentionGate`.

        :returns: 0.05 to 1.
        """
        numbers = np.array([[reward, novelty, recurrence, room]], np.float32)
        sequence = gate_inputs(self._reservoir.run(vector[None]), numbers)
        value = float(self._network.run(["importance"], {"sequence": sequence})[0][0])
        return min(max(value, _LEAST), _MOST)


def gate_inputs(spikes: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """
    What the network reads at each step.

    :param spikes: (steps, n, neurons).
    :param numbers: Reward, novelty, recurrence and room, (n, 4).
    :returns: The spikes, then reward, its size, novelty, ln(1 + recurrence) and room: (steps, n, neurons + 5).
    """
    reward, novelty, recurrence, room = numbers.T
    told = np.stack([reward, np.abs(reward), novelty, np.log1p(recurrence), room], axis=1).astype(np.float32)
    return np.concatenate([spikes, np.broadcast_to(told, (len(spikes), *told.shape))], axis=2)
