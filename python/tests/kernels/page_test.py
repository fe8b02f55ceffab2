"""The code of docs/howto/check_a_kernel.md runs as it stands there."""

import re

import numpy as np
from plain_kernels import BLOCKS, SOURCE


def test_every_block_of_the_page_on_kernels_runs(tmp_path, monkeypatch, command, capsys):
    """In turn, in one folder; the lines of `build/socketlab` beside the block that reads and writes files too."""
    page = (SOURCE / "docs/howto/check_a_kernel.md").read_text()
    write, judge = re.findall(r"^    build/socketlab (.*)\n", page, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    assert command(*write.split()).returncode == 0
    names = {}
    for block in BLOCKS:
        exec(block, names)
    assert "sums='f32'" in capsys.readouterr().out
    judged = command(*judge.split())
    assert judged.returncode == 0, judged.stderr
    assert judged.stdout.strip() in page
    scores = np.load("scores.npy")
    scores[0, 3, 499] *= 1.001
    np.save("scores.npy", scores)
    assert command(*judge.split()).returncode == 1
