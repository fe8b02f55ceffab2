"""Does `pytest --socketlab-grid` run a kernel over the cases, and does a failure say how to make it again?"""

import importlib.metadata
import re
import subprocess
import sys

import numpy as np
import pytest
import socketlab as sl
from mistakes import MISTAKES, sources_with
from plain_kernels import BLOCKS, NUMPY

# Outside of a wheel nobody has registered the plugin.
REGISTERED = any(entry.name == "socketlab" for entry in importlib.metadata.entry_points(group="pytest11"))

KERNELS = "\n\n".join(["import numpy as np", *NUMPY.values(), *(block for block in BLOCKS if "def test_" in block)])


def run(folder, *options):
    plugin = [] if REGISTERED else ["-p", "socketlab.pytest_plugin"]
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def counts(text):
    return {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed)", text.splitlines()[-1])}


def test_the_page_s_kernels_pass_every_case(tmp_path):
    (tmp_path / "kernel_test.py").write_text(KERNELS)
    tiny = run(tmp_path)
    assert tiny.returncode == 0, tiny.stdout
    quick = run(tmp_path, "--socketlab-grid=quick", "-k", "top_k or attention")
    assert quick.returncode == 0, quick.stdout
    assert counts(quick.stdout)["passed"] == 4 * 13 + 4 * 11


# A mistake of each check, and what makes a case that shows it.
FAULTS = {
    ("selection", "ties to the higher index"): r"selection_case\(\"few-values\"",
    ("selection", "-infinity selected"): r"selection_case\(\"short-row\"",
    ("selection", "window of one less"): r"selection_case\(\"gaussian\", keys=250, budget=37, sink=4, window=19",
    ("attention", "softmax without the maximum"): r"attention_case\(\"steep\"",
    ("attention", "KV head h % kv_heads"): r"attention_case\(\"grouped\"",
    ("scores", "mask of the first head for all"): r"scoring_case\(\"operation=score-.*mask=causal",
    ("step", "window of one less"): r"decode_case\(\"operation=decode-step,.*window=11",
}


def test_a_fault_fails_with_the_line_that_makes_the_case_again(tmp_path):
    of_fault = {(of, what): (function, right, wrong) for of, function, what, right, wrong in MISTAKES}
    tests = {"selection": "top_k"}
    chosen = []
    for i, (of, what) in enumerate(FAULTS):
        function, right, wrong = of_fault[of, what]
        edited = KERNELS.replace(NUMPY[function], sources_with(function, right, wrong)[function])
        (tmp_path / f"fault_{i}_test.py").write_text(edited)
        chosen.append(f"fault_{i}_test.py::test_{tests.get(of, of)}")

    text = run(tmp_path, *chosen).stdout

    failures = re.split(r"^_+ test_\w+\[.*\] _+$", text.split("= FAILURES =")[1], flags=re.MULTILINE)[1:]
    for i, (name, line) in enumerate(FAULTS.items()):
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
