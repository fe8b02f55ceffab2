"""What the tests of plots/ share: a folder for result files, rows with every column. Run as a program it runs them all:

PYTHONPATH=plots python3 -B tests/plots/plot_case.py
"""

import csv
import pathlib
import sys
import tempfile
import unittest

import style  # before pyplot: it chooses the backend

NAN = float("nan")


class PlotCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="results of a run ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.addCleanup(style.plt.close, "all")

    def write_csv(self, name, rows):
        with (self.folder / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)

    def drawn(self):
        """The figures in the folder, by stem; each is there as PNG and as SVG."""
        stems = sorted(path.stem for path in self.folder.glob("*.png"))
        self.assertEqual(stems, sorted(path.stem for path in self.folder.glob("*.svg")))
        return stems

    def check_files(self, names, main, *folders):
        """The figures that the main of a script leaves."""
        main(*folders)
        self.assertEqual(self.drawn(), names)


def points(line):
    return list(zip(line.get_xdata(), line.get_ydata(), strict=True))


def lines_of(axes, colour):
    return [line for line in axes.lines if line.get_color() == colour and len(line.get_xdata())]


def sweep_row(axis, value, term, error, **more):
    """A row of sweep.csv: error with a tenth on either side, the exact value the same, the bound ten times it."""
    row = {
        "family": "gaussian", "axis": axis, "axis_value": value, "axis2": "", "axis2_value": "", "term": term,
        "keys": 64, "dim": 8, "planes": 4, "tables": 16, "samples": 6, "temperature": 0.5,
        "error_value_units": error, "error_lo_value_units": 0.9 * error, "error_hi_value_units": 1.1 * error,
        "predicted_value_units": error, "scaled_mse_value_units_squared": 3, "scaled_mse_lo_value_units_squared": 2,
        "scaled_mse_hi_value_units_squared": 4, "predicted_scaled_mse_value_units_squared": 3.5,
        "bound_drawn_occupancy_value_units": 10 * error, "bound_sure_occupancy_value_units": 20 * error,
        "bound_repaired_value_units": 15 * error,
        "trivial_bound_value_units": 1, "required_tables_drawn_occupancy": 1000,
        "required_tables_sure_occupancy": 4000, "verdict": "not-refuted",
    }  # fmt: skip
    return row | more


def sweep_of_tables():
    """Four tables and sixteen: finite-table errors 0.4 and 0.2, a bias of 0.1, sampling 0.05, their total."""
    rows = []
    for tables, noise in ((4, 0.4), (16, 0.2)):
        total = (noise**2 + 0.1**2 + 0.05**2) ** 0.5
        for term, error in (("sampling", 0.05), ("finite-tables", noise), ("bias", 0.1), ("total", total)):
            rows.append(sweep_row("tables", tables, term, error, tables=tables))
    return rows


def slope_row(**more):
    row = {
        "family": "gaussian", "axis": "tables", "planes": 4, "axis2": "", "term": "finite-tables",
        "slope_log_error_per_log_axis": -0.5, "slope_lo": -0.52, "slope_hi": -0.48, "predicted_slope": -0.5,
        "fitted_from_axis_value": 4, "verdict": "not-refuted",
    }  # fmt: skip
    return row | more


def verdict_row(identifier, **more):
    """A row of verdicts.jsonl: a printed bound P <= 1, P in [0.25, 0.5], one of two lies refuted."""
    row = {
        "id": identifier, "title": "P <= 1", "source": "paper, Lemma 1", "wording": "printed", "quote": "at most one",
        "scope": "all", "remark": "", "instance": "I-TWO", "quantity": "P", "relation": "<=", "observed": [0.25, 0.5],
        "claimed": 1.0, "share": "guaranteed", "verdict": "not-refuted", "expected": "not-refuted", "severity": "none",
        "as_expected": True, "refuted_factors": {"below": 0.25}, "near_mutant": True, "no_near_mutant": "",
        "why_no_near_mutant": "", "area": "ranking", "place": "a.cpp:7", "method": "Counts.", "power": "A tenth.",
        "command": f"socketlab verify --only {identifier}", "evidence": [{}],
        "mutants": [{"name": "half", "verdict": "refuted"}, {"name": "third", "verdict": "inconclusive"}],
        "controls": [],
    }  # fmt: skip
    return row | more


def false_row(identifier, **more):
    """The same, expected to be refuted and refuted, with a control that is kept."""
    row = verdict_row(identifier, verdict="refuted", expected="refuted", observed=[2.0, 2.0], severity="misprint")
    return row | {"controls": [{"name": "P <= 2", "verdict": "not-refuted"}]} | more


def kill_row(identifier, measured, mutant, verdict, distance, visible, **more):
    """A row of kill_matrix.csv: a bound P <= 1, P = 2 observed, as expected."""
    row = {
        "id": identifier, "measured": measured, "mutant": mutant, "verdict": verdict, "expected": verdict, "near": "",
        "command": "socketlab verify", "instance": "I-TWO", "quantity": "P", "relation": "<=", "claimed": 1.0,
        "observed_lo": 2.0, "observed_hi": 2.0, "distance_from_claim": distance, "visible_deviation": visible,
        "deviation_is": "seen with probability 0.99", "refuted_below_factor": NAN, "refuted_above_factor": NAN,
    }  # fmt: skip
    return row | more


def bound_row(term, bound, value, **more):
    """A row of bound_ratios.csv at the setting of sweep_of_tables with 16 tables; the true quantile is half the bound."""
    row = {
        "family": "gaussian", "keys": 64, "dim": 8, "planes": 4, "tables": 16, "samples": 6, "temperature": 0.5,
        "term": term, "bound": bound, "guarantee": "proved", "delta": 0.05, "bound_value_units": value,
        "bound_over_quantile": 2, "trivial_bound_value_units": 1, "verdict": "not-refuted",
    }  # fmt: skip
    return row | more


if __name__ == "__main__":
    here = pathlib.Path(__file__).parent
    suites = unittest.TestSuite()
    for folder in (here, here / "report_page"):
        # A loader of its own: each keeps the folder that it started in.
        suites.addTest(unittest.TestLoader().discover(folder, pattern="*_test.py", top_level_dir=folder))
    sys.exit(not unittest.TextTestRunner().run(suites).wasSuccessful())
