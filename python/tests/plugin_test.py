"""Does `pytest --socketlab-grid` run a kernel over the cases, and does a failure say how to make it again?"""

import importlib.metadata
import re
import subprocess
import sys

import numpy as np
import pytest
import socketlab as sl

# Outside of a wheel nobody has registered the plugin.
REGISTERED = any(entry.name == "socketlab" for entry in importlib.metadata.entry_points(group="pytest11"))

KERNELS = """
import numpy as np, socketlab as sl

def scores(tables, codes, norms, planes):
    rows, count, entries = tables.shape
    group, low = rows // len(codes), planes // 2
    result = np.zeros((rows, codes.shape[2]), np.float32)
    for row in range(rows):
        for l in range(count):
            code = codes[row // group, l].astype(np.int64) & 0xffff
            own = tables[row, l]
            if entries == 2**planes:
                result[row] += own[code]
            else:
                result[row] += own[code >> low] * own[2 ** (planes - low) + (code & (2**low - 1))]
        result[row] *= norms[row // group]
    return result

def top_k(scores, budget):
    order = np.argsort(-scores, kind="stable")
    kept = [key for key in order if scores[key] > -np.inf][:budget]
    return np.array(kept + [-1] * (budget - len(kept)))

def attention(q, k, v, selected):
    output, logs = np.full((len(q), v.shape[2]), np.nan, np.float32), np.full(len(q), -np.inf, np.float32)
    for head, listed in enumerate(selected):
        own, listed = head // (len(q) // len(k)), listed[listed >= 0]
        if len(listed):
            logits = k[own][listed] @ q[head] / np.float32(np.sqrt(q.shape[1]))
            weights = np.exp(logits - logits.max())
            output[head] = weights @ v[own][listed] / weights.sum()
            logs[head] = logits.max() + np.log(weights.sum())
    return output, logs

def test_scores(socketlab_scoring_case):
    case = socketlab_scoring_case
    got = scores(case.tables, case.codes, case.norms, case.planes)
    got[np.isneginf(case.low)] = -np.inf
    sl.check.scores(got, case=case, sums="f32")

def test_selection(socketlab_selection_case):
    case = socketlab_selection_case
    sl.check.selection(case, lambda scores: top_k(scores, case.budget), contract="ordered")

def test_attention(socketlab_attention_case):
    socketlab_attention_case.check(attention)
"""


def run(folder, *options):
    plugin = [] if REGISTERED else ["-p", "socketlab.pytest_plugin"]
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def counts(text):
    return {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed)", text.splitlines()[-1])}


def test_a_right_kernel_passes_every_case(tmp_path):
    (tmp_path / "kernel_test.py").write_text(KERNELS)
    tiny = run(tmp_path)
    assert tiny.returncode == 0, tiny.stdout
    quick = run(tmp_path, "--socketlab-grid=quick", "-k", "selection or attention")
    assert quick.returncode == 0, quick.stdout
    assert counts(quick.stdout)["passed"] == 3 * 13 + 3 * 10


FAULTS = {
    "ties to the higher index": ('np.argsort(-scores, kind="stable")', "len(scores) - 1 - np.argsort(-scores[::-1], kind='stable')",
                                 r"selection_case\(\"few-values\""),
    "-infinity taken": ("scores[key] > -np.inf", "True", r"selection_case\(\"short-row\""),
    "no shift by the largest logit": ("np.exp(logits - logits.max())", "np.exp(logits)", r"attention_case\(\"steep\""),
    "wrong head of a group": ("head // (len(q) // len(k))", "head % len(k)", r"attention_case\(\"grouped\""),
    "log-sum-exp to base 2": ("np.log(weights.sum())", "np.log2(weights.sum())", r"attention_case\(\"plain\""),
    "last table dropped": ("range(count)", "range(count - 1)", r"scoring_case\(\"operation=score-"),
}  # fmt: skip


def test_a_fault_fails_with_the_line_that_makes_the_case_again(tmp_path):
    for i, (right, wrong, _) in enumerate(FAULTS.values()):
        assert KERNELS.count(right) == 1
        (tmp_path / f"fault_{i}_test.py").write_text(KERNELS.replace(right, wrong))

    text = run(tmp_path).stdout

    failures = re.split(r"^_+ test_\w+\[.*\] _+$", text.split("= FAILURES =")[1], flags=re.MULTILINE)[1:]
    for i, (name, (_, _, line)) in enumerate(FAULTS.items()):
        mine = [failure for failure in failures if f"'fault_{i}_test.py::test_" in failure]
        assert any(re.search(line, failure) for failure in mine), name
        assert all("replay: " in failure and "pytest --socketlab-grid=tiny 'fault_" in failure for failure in mine), (
            name
        )
    assert counts(text)["passed"] > counts(text)["failed"] == len(failures)


def test_an_unknown_grid_is_refused(tmp_path):
    done = run(tmp_path, "--socketlab-grid=huge")
    assert "--socketlab-grid" in done.stderr
    assert done.returncode != 0


def test_attention_cases_are_made_again_by_their_line():
    for case in sl.check.attention_cases(keys=33):
        again = eval(repr(case), {"socketlab": sl})
        for name in ("q", "k", "v", "selected"):
            assert np.array_equal(getattr(again, name), getattr(case, name)), (case, name)
    with pytest.raises(ValueError, match="attention case x: allowed are plain"):
        sl.check.attention_case("x")
    with pytest.raises(ValueError, match="keys 0"):
        sl.check.attention_case("plain", keys=0)


def test_a_wrong_coordinate_of_a_case_is_called_so():
    case = sl.check.attention_case("one-key", keys=33)
    wrong = case.v[np.arange(4) // 2, case.selected[:, 0]]  # over one key the output is its value
    wrong[3, 5] += 1
    with pytest.raises(sl.check.CheckFailure, match="^row 3, coordinate 5: output"):
        case.check(wrong)


def test_a_grid_s_cases_are_those_of_gpu_check():
    cases = list(sl.check.scoring_cases("tiny"))
    assert np.array_equal(eval(repr(cases[0]), {"socketlab": sl}).tables, cases[0].tables)
    assert {case.halves for case in cases} == {True, False}
    assert all("operation=score-" in case.text for case in cases)
    with pytest.raises(ValueError, match="grid"):
        list(sl.check.scoring_cases("huge"))
