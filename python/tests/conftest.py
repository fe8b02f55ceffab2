"""What the tests share: the command line to compare with, and a formula for how far two compilations may differ."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

UNIT = 2.0**-53


@pytest.fixture(scope="session")
def command():
    """Runs the program of SOCKETLAB_COMMAND; a test that needs it is skipped without."""
    program = os.environ.get("SOCKETLAB_COMMAND", "")
    if not pathlib.Path(program).is_file():
        pytest.skip("SOCKETLAB_COMMAND does not name the program socketlab")

    def run(*arguments):
        return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def saved(tmp_path):
    """Saves an array as NAME.npy and gives the path."""

    def save(name, array):
        np.save(tmp_path / f"{name}.npy", array)
        return tmp_path / f"{name}.npy"

    return save


def rounding(operations):
    """Twice gamma_n of n operations in double: what two orders of summation, with and without fma, may differ by."""
    return 2 * operations * UNIT / (1 - operations * UNIT)
