"""Do the package's types hold, as mypy reads them strictly, and do they tell a caller of a wrong one?"""

import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("mypy", reason="mypy is not installed")

SOURCE = pathlib.Path(os.environ.get("SOCKETLAB_SOURCE", pathlib.Path(__file__).parents[2]))


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """What mypy knows of the package and of NumPy, which each run needs."""
    return tmp_path_factory.mktemp("cache")


def mypy(folder, cache, *what):
    settings = ["--config-file", SOURCE / "pyproject.toml", "--cache-dir", cache]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *map(str, settings), *map(str, what)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_the_installed_package_is_clean_under_mypys_strict_rules(tmp_path, cache):
    code, text = mypy(tmp_path, cache, "-p", "socketlab")
    assert code == 0, text


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("value: float = sl.oracle.epsilon(planes=8, temperature=0.5, dim=128, query_norm=1.0).value", ""),
        ("value: str = sl.oracle.epsilon(planes=8, temperature=0.5, dim=128, query_norm=1.0).value", "[assignment]"),
        ("sl.oracle.epsilon(planes='8', temperature=0.5, dim=128, query_norm=1.0)", "[arg-type]"),
        ("sl.oracle.epsilon(plane=8, temperature=0.5, dim=128, query_norm=1.0)", "[call-arg]"),
        ("sl.sweep('tables', [4, 8.5], planes=4, keys=None, families='needle', needle_cosine=1)", ""),
        ("sl.sweep('tables', [4], planes='4')", "[arg-type]"),
        ("sl.attend([1.0], [[1.0]], [[1.0]], budgets=2)", "[call-arg]"),
    ],
)
def test_a_caller_is_told_of_a_wrong_type(tmp_path, cache, line, refused):
    (tmp_path / "caller.py").write_text(f"import socketlab as sl\n\n{line}\n", encoding="utf-8")
    code, text = mypy(tmp_path, cache, tmp_path / "caller.py")
    assert code == (1 if refused else 0), text
    assert refused in text
