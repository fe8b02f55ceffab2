"""Does each check of lint.sh refuse what it is there for, and pass the same file mended?

Usage: lint_test.py TOOLS   (the folder of clang-format, clang-tidy, ruff and shellcheck; exit code 77 where it is missing)
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = pathlib.Path(sys.argv.pop(1)).resolve()
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(planted CXX)
add_library(planted sim/count.cpp)
target_compile_options(planted PRIVATE -Wall -std=c++20)
"""
# check -> (what is said, the files that it refuses, those of them that are mended)
PLANTED = {
    "formatter": ("sim/count.cpp", {"sim/count.cpp": "int  count( int n ){return n;}\n"},
                  {"sim/count.cpp": "int count(int n) {\n  return n;\n}\n"}),
    "ruff": ("F401", {"plots/a.py": "import os\n"}, {"plots/a.py": "import os\n\nprint(os.sep)\n"}),
    "shellcheck": ("SC2086", {"run.sh": "#!/usr/bin/env bash\nrm $1\n"}, {"run.sh": '#!/usr/bin/env bash\nrm "$1"\n'}),
    "clang-tidy": ("sim/count.cpp:2:", {"sim/count.cpp": "int count(int n) {\n  const int unused = 2;\n  return n;\n}\n"},
                   {"sim/count.cpp": "int count(int n) {\n  return n;\n}\n"}),
}  # fmt: skip
# Of the includes: what is said, and the files.
CIRCLE = {
    "sim/one/a.hpp": '#include "sim/two/b.hpp"\n',
    "sim/two/b.hpp": "",
    "sim/two/c.hpp": '#include "sim/one/a.hpp"\n',
}
REFUSED = {
    "proofs_check may not know gpu": {"proofs_check/a.hpp": '#include "gpu/b.hpp"\n', "gpu/b.hpp": ""},
    "sim may not know estimators": {"sim/a.hpp": '#include "estimators/b.hpp"\n', "estimators/b.hpp": ""},
    "folders must have an order": CIRCLE,
    "26 source files": {f"sim/file_{i}.hpp": "" for i in range(26)},
}
PASSED = [CIRCLE | {"sim/two/c.hpp": ""}, {f"sim/file_{i}.hpp": "" for i in range(25)}]


class Planted(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="a_checkout_")))
        for name in (
            ".clang-format",
            ".clang-tidy",
            "ruff.toml",
            "lint.sh",
            "tools/includes.py",
            "tools/requirements.txt",
        ):
            self.write(name, (ROOT / name).read_text(encoding="utf-8"))
        (self.root / "lint.sh").chmod(0o755)
        self.write("CMakeLists.txt", CMAKE)
        self.write(".gitignore", "/build/\n")
        (self.root / "build/lint").mkdir(parents=True)
        (self.root / "build/lint/bin").symlink_to(TOOLS)
        shutil.copy(ROOT / "tools/requirements.txt", self.root / "build/lint")
        subprocess.run(["git", "init", "-q", self.root], check=True)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def lint(self, *words):
        done = subprocess.run([self.root / "lint.sh", *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_what_is_planted_is_refused_and_what_is_mended_is_passed(self):
        for check, (said, refused, mended) in PLANTED.items():
            with self.subTest(check):
                for files, code in ((refused, 1), (mended, 0)):
                    for name, text in files.items():
                        self.write(name, text)
                    found, text = self.lint("--only", check, *["--all"] * (check == "clang-tidy"))
                    self.assertEqual(found, code, text)
                    self.assertEqual(said in text, code == 1, text)

    def test_includes_run_one_way_and_folders_are_small(self):
        for said, files in [*REFUSED.items(), *((None, files) for files in PASSED)]:
            with self.subTest(said):
                for name, text in files.items():
                    self.write(name, text)
                code, text = self.lint("--only", "includes")
                self.assertEqual(code, 1 if said else 0, text)
                self.assertIn(said or "no finding", text)
                for name in files:
                    (self.root / name).unlink()

    def test_a_tool_that_cannot_run_is_no_pass(self):
        self.write(".clang-format", (self.root / ".clang-format").read_text(encoding="utf-8") + "NoSuchOption: 1\n")
        self.write(".clang-tidy", "NoSuchOption: 1\n")
        self.write("sim/count.cpp", "int count(int n) {\n  return n;\n}\n")
        for check in ("formatter", "clang-tidy"):
            with self.subTest(check):
                self.assertEqual(self.lint("--only", check, "--all")[0], 1)

    def test_another_word_is_one_line(self):
        for words in (["--every"], ["--only", "spelling"], ["--only"]):
            code, text = self.lint(*words)
            self.assertEqual((code, text.count("\n")), (2, 1), text)


if __name__ == "__main__":
    if not (TOOLS / "clang-tidy").exists():
        print(f"{TOOLS} holds no tools: ./lint.sh installs them")
        sys.exit(77)
    unittest.main()
