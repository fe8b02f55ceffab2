"""Does own_kernels.py run a user's sources on the emulated device, and refuse what cannot run there by one line and code 2?

SKT_BUILD=build SKT_GPU_LIBRARY=build/gpu/libsocketlab_gpu.so python3 -m unittest own_kernels_test    in tests/gpu/emulation
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
SCRIPT = HERE.parents[2] / "gpu/emulation/own_kernels.py"
SOUND = (HERE / "own/scores.cu").read_text(encoding="utf-8")
BUILD, GPU_LIBRARY = (pathlib.Path(os.environ[name]).resolve() for name in ("SKT_BUILD", "SKT_GPU_LIBRARY"))


def ran(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


class OwnKernels(unittest.TestCase):
    def checked(self, text):
        """What is said of a source of this text, beside the header that it includes."""
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "mine.cu"
            source.write_text(text, encoding="utf-8")
            header = (HERE / "own/warp_sum.cuh").read_text(encoding="utf-8")
            source.with_name("warp_sum.cuh").write_text(header, encoding="utf-8")
            options = ("--only", "score-buckets", "--grid", "tiny", "--agreement", "derived")
            return ran(sys.executable, "-B", SCRIPT, BUILD, source, "-I", HERE / "own/include", "--", *options)

    def assert_refused(self, done, what):
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertRegex(done.stderr, what)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_sound_source_passes(self):
        done = self.checked(SOUND)

        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        cases, failed, unsupported, compared = re.search(
            r"^score-buckets +(\d+) +(\d+) +(\d+) +(\d+) ", done.stdout, re.MULTILINE
        ).groups()
        self.assertEqual(int(failed), 0)
        self.assertGreater(int(cases), int(unsupported))
        self.assertGreater(int(compared), 0)

    def test_a_source_that_leaves_out_one_table_fails(self):
        done = self.checked(SOUND.replace("table < args.shape.tables;", "table < args.shape.tables - 1;"))

        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("FAILED score-buckets", done.stdout)

    def test_what_cannot_be_compiled_is_refused_by_the_line_of_the_source(self):
        line = 1 + SOUND.split("__syncwarp()")[0].count("\n")
        unknown, statement = (
            SOUND.replace("__syncwarp()", other) for other in ("__no_such_word()", 'asm("bar.red 0;")')
        )
        self.assert_refused(self.checked(unknown), rf"mine\.cu:{line}:\d+: error: .*__no_such_word")
        self.assert_refused(self.checked(statement), r"mine\.cu: .*ptx\.py for: bar\.red 0;")
        self.assert_refused(ran(sys.executable, "-B", SCRIPT, BUILD, HERE / "none.cu"), r"none\.cu: is not there")
        self.assert_refused(
            ran(sys.executable, "-B", SCRIPT, HERE, HERE / "own/scores.cu"), "has no socketlab_emulated"
        )

    def test_a_library_of_code_for_a_gpu_is_refused(self):
        done = ran(BUILD / "socketlab_emulated", "--candidate", GPU_LIBRARY, "--grid", "tiny")

        self.assert_refused(done, r"libsocketlab_gpu\.so: is compiled for a GPU.*allowed is .*own_kernels\.py")
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
