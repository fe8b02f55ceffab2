"""Does each check of tools/lint.py refuse what it is there for, and pass the same file mended?

Usage: lint_test.py TOOLS   (the folder of clang-format, clang-tidy, ruff and shellcheck; exit code 77 where it is missing)
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = pathlib.Path(sys.argv.pop(1)).resolve()
HEAD = "// How many?\n"


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="a checkout ")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in (".clang-format", ".clang-tidy", "ruff.toml"):
            shutil.copy(ROOT / name, self.root / name)
        subprocess.run(["git", "init", "-q", self.root], check=True)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def lint(self, check, *more):
        command = [sys.executable, "-B", ROOT / "tools/lint.py", "--tools", TOOLS, "--root", self.root, "--only", check]
        return subprocess.run([*command, *more], capture_output=True, text=True, check=False)

    def assert_refused(self, check, what, *more):
        done = self.lint(check, *more)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(what, done.stdout)

    def assert_passed(self, check, *more):
        done = self.lint(check, *more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_an_unformatted_file(self):
        self.write("sim/count.cpp", HEAD + "int  count( int n ){return n;}\n")
        self.assert_refused("formatter", "sim/count.cpp")

        self.write("sim/count.cpp", HEAD + "int count(int n) {\n  return n;\n}\n")
        self.assert_passed("formatter")

    def test_a_formatter_that_cannot_run(self):
        self.write(".clang-format", (self.root / ".clang-format").read_text(encoding="utf-8") + "NoSuchOption: 1\n")
        self.write("sim/count.cpp", HEAD)

        done = self.lint("formatter")
        self.assertEqual(done.returncode, 2, done.stdout)

    def test_proofs_check_may_not_know_the_gpu(self):
        self.write("proofs_check/a.hpp", '#include "gpu/b.hpp"\n')
        self.write("gpu/b.hpp", "")
        self.assert_refused("includes", "proofs_check may not know gpu")

    def test_an_include_that_runs_back(self):
        self.write("sim/a.hpp", '#include "estimators/b.hpp"\n')
        self.write("estimators/b.hpp", "")
        self.assert_refused("includes", "sim may not know estimators")

    def test_two_sub_folders_that_include_each_other(self):
        self.write("sim/one/a.hpp", '#include "sim/two/b.hpp"\n')
        self.write("sim/two/b.hpp", "")
        self.write("sim/two/c.hpp", "")
        self.assert_passed("includes")

        self.write("sim/two/c.hpp", '#include "sim/one/a.hpp"\n')
        self.assert_refused("includes", "folders must have an order")

    def test_a_folder_of_26_files(self):
        for i in range(25):
            self.write(f"sim/file_{i}.hpp", "")
        self.assert_passed("includes")

        self.write("sim/file_25.hpp", "")
        self.assert_refused("includes", "26 source files")

    def test_an_unused_variable(self):
        command = {
            "directory": str(self.root),
            "file": "sim/count.cpp",
            "command": "c++ -std=c++20 -Wall -c sim/count.cpp",
        }
        self.write("build/compile_commands.json", json.dumps([command]))
        self.write("sim/count.cpp", HEAD + "int count(int n) {\n  const int unused = 2;\n  return n;\n}\n")
        self.assert_refused("clang-tidy", "clang-diagnostic-unused-variable", "--all")

        self.write("sim/count.cpp", HEAD + "int count(int n) {\n  return n;\n}\n")
        self.assert_passed("clang-tidy", "--all")

    def test_an_unused_variable_of_a_file_that_is_compiled_with_another(self):
        piece = self.root / "build/sim/Unity/unity_folder_0_cxx.cxx"
        command = {"directory": str(self.root), "file": str(piece), "command": f"c++ -std=c++20 -Wall -c '{piece}'"}
        self.write("build/compile_commands.json", json.dumps([command]))
        self.write(
            "build/sim/Unity/unity_folder_0_cxx.cxx",
            f'#include "{self.root}/sim/other.cpp"\n\n#include "{self.root}/sim/count.cpp"\n',
        )
        self.write("sim/other.cpp", HEAD + "int other(int n) {\n  return n;\n}\n")
        self.write("sim/count.cpp", HEAD + "int count(int n) {\n  const int unused = 2;\n  return n;\n}\n")
        self.assert_refused("clang-tidy", "sim/count.cpp:3:", "--all")

        self.write("sim/count.cpp", HEAD + "int count(int n) {\n  return n;\n}\n")
        self.assert_passed("clang-tidy", "--all")

    def test_no_configured_build_is_said(self):
        done = self.lint("clang-tidy", "--all")

        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("configure first", done.stderr)

    def test_an_unused_import_of_python(self):
        self.write("plots/a.py", "import os\n")
        self.assert_refused("ruff", "F401")

        self.write("plots/a.py", "import os\n\nprint(os.sep)\n")
        self.assert_passed("ruff")

    def test_imports_are_sorted_the_same_beside_the_results_of_a_run(self):
        self.write(
            "plots/draw.py", '"""Draws."""\n\nimport numpy\nfrom results import read_csv\n\nprint(numpy, read_csv)\n'
        )
        self.write("plots/results.py", '"""Reads."""\n\nread_csv = None\n')
        self.write("results/report.html", "")  # before the first check: ruff remembers a file that it has passed
        self.assert_passed("ruff")

        (self.root / "results/report.html").unlink()
        (self.root / "results").rmdir()
        self.write("plots/draw.py", (self.root / "plots/draw.py").read_text(encoding="utf-8") + "print(numpy)\n")
        self.assert_passed("ruff")

    def test_an_unquoted_shell_variable(self):
        self.write("run.sh", "#!/usr/bin/env bash\nrm $1\n")
        self.assert_refused("shellcheck", "SC2086")

        self.write("run.sh", '#!/usr/bin/env bash\nrm "$1"\n')
        self.assert_passed("shellcheck")


if __name__ == "__main__":
    if not (TOOLS / "clang-tidy").exists():
        print(f"{TOOLS} holds no tools: ./lint.sh installs them")
        sys.exit(77)
    unittest.main()
