"""The figures of socketlab.plots show the numbers of the tables, and leave matplotlib as it was."""

import subprocess
import sys

import numpy as np
import pytest
import socketlab as sl

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

SMALL = {"keys": 60, "dim": 16, "trials": 6, "draws": 2}


def points_of(figure):
    return {
        (round(float(x), 9), round(float(y), 9))
        for axes in figure.axes
        for line in axes.lines
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }


def has(figure, x, y):
    return (round(float(x), 9), round(float(y), 9)) in points_of(figure)


def own(count=200):
    rng = np.random.default_rng(2)
    return rng.standard_normal((2, 16)), rng.standard_normal((count, 16)), rng.standard_normal((count, 8))


def test_a_sweep_is_drawn_with_its_points():
    swept = sl.sweep("tables", [4, 8], planes=4, **SMALL)
    (figure,) = sl.plots.error_curves(swept)
    for value, error in zip(swept.table["axis_value"], swept.table["error_value_units"], strict=True):
        assert has(figure, value, error)


def test_two_axes_are_a_map():
    (figure,) = sl.plots.error_curves(sl.sweep("tables", [4, 8], axis2="planes", values2=[2, 3], **SMALL))
    assert len(figure.axes[0].images) == 1


def test_an_audit_is_drawn_term_by_term():
    small = {"temperatures": [0.5], "keys": 60, "dim": 16, "tables": 8, "trials": 4}
    audited = sl.audit(planes=[3, 4], bound_draws=4, bound_delta=0.2, fresh_tables=200, **small)
    terms, ratios = sl.plots.audit_terms(audited), sl.plots.bound_ratios(audited)
    assert has(terms, 0.22, audited.table["bias_exact"][0])
    over = audited.ratios["bound_value_units"][0] / audited.ratios["trivial_bound_value_units"][0]
    assert has(ratios, 0, over)
    with pytest.raises(ValueError, match="bound_draws is 0"):
        sl.plots.bound_ratios(sl.audit(planes=[3], bound_draws=0, **small))


def test_a_certificate_is_drawn_with_what_was_measured():
    q, k, v = own()
    certified = sl.certify(q, k, v, tables=8, planes=4)
    figure = sl.plots.certificate(certified)
    heights = {bar.get_height() for axes in figure.axes for bar in axes.patches}
    for query in certified.queries:
        assert query.value("bias", "measured") in heights


def test_curves_and_rankings_are_drawn_with_their_points():
    q, k, v = own()
    attended = sl.attend(q, k, v, tables=8, planes=4, budget=20)
    curves = sl.plots.attend_curves(attended)
    first = {name: column[0] for name, column in attended.curves.items()}
    assert has(curves, first["density"], first["relative_error_mean"])
    chosen = sl.choose(q, k, v, budgets=[4, 20], planes=4, tables=8, rankers=["socket", "quest"])
    row = {name: column[0] for name, column in chosen.table.items()}
    assert row["metric"] == "relative_error"
    assert has(sl.plots.choose(chosen), row["budget"], row["mean"])
    found = sl.choose(q, k, v, search=True, search_planes=[2], search_tables=[8], redraws=0)
    assert has(sl.plots.choose(found), found.table["bits_per_key"][0], found.table["budget"][0])


def test_matplotlib_s_settings_and_figures_stay_as_they_were():
    from matplotlib import pyplot as plt

    before, figures = dict(matplotlib.rcParams), plt.get_fignums()
    q, k, v = own()
    sl.plots.certificate(sl.certify(q, k, v, tables=4, planes=3)).savefig("/dev/null", format="png")
    assert dict(matplotlib.rcParams) == before
    assert plt.get_fignums() == figures


def test_without_matplotlib_one_line_says_so():
    script = """
import sys
sys.modules["matplotlib"] = None
import socketlab as sl
try:
    sl.plots.choose(sl.Chosen({}, {}, {}, ""))
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "socketlab.plots: no matplotlib; allowed is a Python with it, as pip install 'socketlab[plots]' makes\n"
    )
