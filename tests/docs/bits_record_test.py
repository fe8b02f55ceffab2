"""Are the correlations of docs/records/bits.csv those of a second route, within 1e-3?

The record comes from quadratures in C++, in z and in the angle. Here: a Gauss-Legendre rule in log z, and one in the cosine.
Product quantisation and RaBitQ are measured; orthogonal signs have the closed form of Lemma 6 within one block.
"""

import csv
import math
import unittest
from pathlib import Path

import numpy as np

RECORD = Path(__file__).resolve().parents[2] / "docs/records/bits.csv"
NODES, WEIGHTS = np.polynomial.legendre.leggauss(400)
LOG_Z = (NODES - 1) * 8 + 2.5  # z from 8e-7 to 12
Z = np.exp(LOG_Z)
NORMAL = WEIGHTS * 8 * Z * 2 * np.exp(-Z * Z / 2) / math.sqrt(2 * math.pi)
ERF = np.vectorize(math.erf)


class Cosines:
    """The law of the cosine of a random direction, and the share of planes that agree given |z|."""

    def __init__(self, dim):
        self.rho = NODES * min(1, 9 / math.sqrt(dim))
        density = WEIGHTS * np.exp((dim - 3) / 2 * np.log1p(-(self.rho**2)))
        self.density, self.dim = density / density.sum(), dim
        self.agreement = ERF(np.outer(self.rho / np.sqrt(1 - self.rho**2), Z) / math.sqrt(2))
        self.regularity = math.sqrt(2 / dim) * math.exp(math.lgamma((dim + 1) / 2) - math.lgamma(dim / 2))

    def mean(self, values):
        return float(self.density @ values)

    def correlation(self, weight, planes, tables):
        """Of the mean over tables of prod (1 + weight_i s_i) with q.k."""
        mu, square = self.agreement @ (NORMAL * weight), float(NORMAL @ weight**2)
        mean = (1 + mu) ** planes - 1
        noise = (1 + 2 * mu + square) ** planes - (1 + mu) ** (2 * planes)
        variance = self.mean(mean**2) - self.mean(mean) ** 2 + self.mean(noise) / tables
        return self.regularity * math.sqrt(self.dim) * self.mean(self.rho * mean) / math.sqrt(variance)


LAWS = {dim: Cosines(dim) for dim in (64, 128)}


def second_route(row):
    dim, bits, rule = int(row["dim"]), float(row["bits"]), row["rule"]
    law = LAWS[dim]
    signal = np.tanh(math.sqrt(dim) * Z)
    if rule == "SOCKET, best P and tau":
        return law.correlation(signal * 1e-3, 1, bits)  # tau without end: only the ratios of weights count
    if rule.startswith("SOCKET"):
        planes, tau = (float(part.split("=")[1]) for part in rule.split(", ")[1].split())
        return law.correlation(np.tanh(signal / (tau * math.sqrt(dim))), planes, bits / planes)
    if rule == "equal bits":
        return law.correlation(np.ones_like(Z), 1, bits)
    if rule == "signed projection, independent":
        return law.correlation(Z, 1, bits - 16) / law.regularity  # times |k|
    if rule == "signed projection, orthogonal" and bits - 16 <= dim:  # within one block: its share, times |k|
        return math.sqrt(2 / math.pi * (bits - 16) / dim) / law.regularity
    return None


class BitsRecord(unittest.TestCase):
    def test_the_record_is_within_a_thousandth_of_the_second_route(self):
        checked = {}
        with RECORD.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if (expected := second_route(row)) is not None:
                    checked[row["rule"].split(",")[0]] = checked.get(row["rule"].split(",")[0], 0) + 1
                    self.assertLess(abs(float(row["correlation"]) - expected), 1e-3, row)
        self.assertEqual(checked, {"signed projection": 21, "equal bits": 16, "SOCKET": 50})

    def test_the_second_route_would_see_a_percent_of_the_temperature_and_one_table(self):
        law, signal = LAWS[128], np.tanh(math.sqrt(128) * Z)
        of = [law.correlation(np.tanh(signal / (tau * math.sqrt(128))), 8, 60) for tau in (0.3, 0.306)]
        self.assertGreater(of[1] - of[0], 1e-3)
        self.assertGreater(law.correlation(signal, 1, 61) - law.correlation(signal, 1, 60), 1e-3)


if __name__ == "__main__":
    unittest.main()
