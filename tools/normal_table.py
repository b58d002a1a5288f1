"""Write ``mindsim/normal_table.npy``: the cubic pieces of the inverse normal that `mindsim.rng` reads.

Run once; the file is kept in the repository so that every machine uses the same bits.
Row ``octave * 64 + piece`` holds the coefficients, lowest power first, of a cubic in t in [0, 1) that equals
``-ndtri(u / 2)`` at four Chebyshev nodes, for u = 2**(-octave - 1) * (1 + (piece + t) / 64).
"""
from pathlib import Path

import numpy as np
from scipy.special import ndtri

PIECES, OCTAVES, DEGREE = 64, 53, 3

k = np.arange(DEGREE + 1)
nodes = (1 - np.cos((2 * k + 1) * np.pi / (2 * (DEGREE + 1)))) / 2
solve = np.linalg.inv(np.vander(nodes, increasing=True))
octave, piece = np.divmod(np.arange(OCTAVES * PIECES), PIECES)
u = 2.0 ** (-octave[:, None] - 1.0) * (1 + (piece[:, None] + nodes) / PIECES)
table = -ndtri(u / 2) @ solve.T

target = Path(__file__).parents[1] / "mindsim" / "normal_table.npy"
np.save(target, np.ascontiguousarray(table))
print(f"{target}: {table.shape}, {target.stat().st_size} bytes")
