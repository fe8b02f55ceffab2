"""python -m socketlab: the program of the environment or of PATH, or one line that there is none."""

import os
import subprocess
import sys


def run(path, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "socketlab", *arguments],
        env={**os.environ, "PATH": str(path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_program_gets_the_arguments_and_gives_its_exit_code(tmp_path):
    program = tmp_path / "socketlab"
    program.write_text('#!/bin/sh\nprintf "%s|" "$@"\nexit 7\n')
    program.chmod(0o755)
    done = run(tmp_path, "attend", "--out", "a b")
    assert (done.stdout, done.returncode) == ("attend|--out|a b|", 7)


def test_without_a_program_one_line_says_how_to_get_it(tmp_path):
    done = run(tmp_path, "attend")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "no program socketlab in" in done.stderr
    assert "./reproduce.sh builds" in done.stderr
