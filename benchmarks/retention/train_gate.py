"""
Trains the retention gate on simulated streams and writes memory_components/retention_gate.onnx.

    python -m benchmarks.retention.train_gate [FILE]

Needs torch and onnx beside NumPy. With the same versions it gives the same weights; it takes a minute or two.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from benchmarks.retention.streams import lessons, simulate
from memory_components.spiking_reservoir import SpikingReservoir

HIDDEN = 16
STREAMS, CHECKED = 80, 10
EPOCHS = 6
SPIKE_PENALTY = 2e-3


class Gate(torch.nn.Module):
    """A GRU over the steps, and one number from its last state."""

    def __init__(self, inputs: int):
        super().__init__()
        self.gru = torch.nn.GRU(inputs, HIDDEN)
        self.head = torch.nn.Linear(HIDDEN, 1)

    def forward(self, sequence: torch.Tensor) -> torch.Tensor:
        _, state = self.gru(sequence)
        return 0.05 + 0.95 * torch.sigmoid(self.head(state[0])[:, 0])


def examples(seeds: range) -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs (steps, n, inputs) and targets (n,) of some streams."""
    from memory_components.long_term_memory import gate_inputs

    reservoir = SpikingReservoir()
    sequences, targets = [], []
    for seed in seeds:
        stream = simulate(seed)
        positions, numbers, wanted = lessons(stream)
        sequences.append(gate_inputs(reservoir.run(stream.vectors[positions]), numbers))
        targets.append(wanted)
    return torch.from_numpy(np.concatenate(sequences, axis=1)), torch.from_numpy(np.concatenate(targets)).float()


def train(sequences: torch.Tensor, targets: torch.Tensor) -> Gate:
    """Fit the gate by its squared error."""
    gate = Gate(sequences.shape[2])
    optimiser = torch.optim.Adam(gate.parameters(), 3e-3, weight_decay=1e-5)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(targets)).split(256):
            error = torch.nn.functional.mse_loss(gate(sequences[:, rows]), targets[rows])
            # Topics of a stream aren't those of the next one: a network that leans on the spikes learns them by heart.
            leaning = gate.gru.weight_ih_l0[:, :-5].square().sum()
            optimiser.zero_grad()
            (error + SPIKE_PENALTY * leaning).backward()
            optimiser.step()
    return gate


def as_onnx(gate: Gate) -> onnx.ModelProto:
    """The gate for ONNX Runtime. torch orders a GRU's parts reset, update, new; ONNX update, reset, new."""

    def reordered(values: torch.Tensor) -> np.ndarray:
        reset, update, new = values.detach().numpy().reshape(3, HIDDEN, -1)
        return np.concatenate([update, reset, new])

    parts: dict[str, Any] = {
        "W": reordered(gate.gru.weight_ih_l0)[None],
        "R": reordered(gate.gru.weight_hh_l0)[None],
        "B": np.concatenate([reordered(gate.gru.bias_ih_l0), reordered(gate.gru.bias_hh_l0)]).reshape(1, -1),
        "head": gate.head.weight.detach().numpy().T,
        "bias": gate.head.bias.detach().numpy(),
        "scale": np.array(0.95, np.float32),
        "least": np.array(0.05, np.float32),
        "flat": np.array([-1], np.int64),
        "state_axes": np.array([0], np.int64),
    }
    nodes = [
        helper.make_node("GRU", ["sequence", "W", "R", "B"], ["", "last"], hidden_size=HIDDEN, linear_before_reset=1),
        helper.make_node("Squeeze", ["last", "state_axes"], ["state"]),
        helper.make_node("MatMul", ["state", "head"], ["raw"]),
        helper.make_node("Add", ["raw", "bias"], ["biased"]),
        helper.make_node("Sigmoid", ["biased"], ["share"]),
        helper.make_node("Mul", ["share", "scale"], ["scaled"]),
        helper.make_node("Add", ["scaled", "least"], ["column"]),
        helper.make_node("Reshape", ["column", "flat"], ["importance"]),
    ]
    weights = [numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in parts.items()]
    inputs = [helper.make_tensor_value_info("sequence", TensorProto.FLOAT, ["steps", "n", gate.gru.input_size])]
    outputs = [helper.make_tensor_value_info("importance", TensorProto.FLOAT, ["n"])]
    graph = helper.make_graph(nodes, "retention_gate", inputs, outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


def main(file: Path) -> None:
    torch.manual_seed(7)
    torch.set_num_threads(1)
    gate = train(*examples(range(STREAMS)))
    checked, wanted = examples(range(1000, 1000 + CHECKED))
    with torch.no_grad():
        said = gate(checked)
        print(f"explained variance on {CHECKED} other streams: {1 - ((said - wanted).var() / wanted.var()).item():.3f}")
        blind = checked.clone()
        blind[:, :, :-5] = 0
        print(f"the same without spikes: {1 - ((gate(blind) - wanted).var() / wanted.var()).item():.3f}")
    file.write_bytes(as_onnx(gate).SerializeToString())
    print(f"{file}: {file.stat().st_size} bytes")


if __name__ == "__main__":
    default = Path(__file__).parents[2] / "memory_components" / "retention_gate.onnx"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
