"""Has every barrier, wait and fence of the kernels a delay before it and behind it (gpu/device/delay.cuh)?

python3 -m unittest delay_test      in tests/gpu/device
"""

import pathlib
import re
import unittest

GPU = pathlib.Path(__file__).parents[3] / "gpu"

# What orders threads or memory: of CUDA, of cooperative groups and of PTX. A copy of 16 bytes to a lane (cp.async.cg)
# orders nothing; the waits for it do.
SYNCHRONISES = re.compile(
    r"__sync(threads|warp)\w*\(|__threadfence\w*\(|__pipeline_(commit|wait_prior)\(|\bthis_\w+\(\)\.sync\(|"
    r"cudaGridDependencySynchronize\(|cudaTriggerProgrammaticLaunchCompletion\(|griddepcontrol|"
    r"\b(barrier|mbarrier|bar|fence|membar)\.[a-z]|cp\.async\.(bulk|commit|wait)|"
    r"\b(ld|atom|red)\.acquire|\b(st|atom|red)\.(release|acq_rel)|cuda::(barrier|atomic|pipeline)|memcpy_async\("
)
DELAY = "delay_here("

# The places of shared memory that these registers name are the same in every block of a cluster. As an address one
# is that of the cluster's first block: a load by it in another block is an illegal instruction.
BARE_OFFSET = "%reserved_smem_offset_"


def code_lines(text):
    """The lines without comments and preprocessor lines; empty ones stay, so that numbers hold. The strings of one asm
    statement, between which nothing can stand, are moved to the line of the first."""
    lines = ["" if line.lstrip().startswith("#") else line.split("//")[0].rstrip() for line in text.splitlines()]
    first = 0
    for number, line in enumerate(lines):
        if not line.lstrip().startswith('"'):
            first = number
        elif first + 1 < number and lines[first + 1]:
            lines[first + 1] += line
            lines[number] = ""
    return lines


def functions(lines):
    """First and last line of each function of the device, by its braces; those in strings come in pairs."""
    number = 0
    while number < len(lines):
        if not re.search(r"__(device|global)__", lines[number]):
            number += 1
            continue
        begin = number
        while not lines[number].endswith(("{", ";", "}")):
            number += 1
        depth = lines[number].count("{") - lines[number].count("}")
        while depth > 0:
            number += 1
            depth += lines[number].count("{") - lines[number].count("}")
        yield begin, number
        number += 1


def undelayed(text):
    """Numbers of the lines that synchronise and have no delay between them and the one before, or the end of their
    function."""
    lines = code_lines(text)
    inside = list(functions(lines))
    missing = []
    for number, line in enumerate(lines):
        if not SYNCHRONISES.search(line):
            continue
        begin, end = next(((b, e) for b, e in inside if b <= number <= e), (number, number))
        others = [i for i in range(begin, end) if i != number and SYNCHRONISES.search(lines[i])]
        before = lines[max([begin, *(i for i in others if i < number)]) : number]
        behind = lines[number + 1 : min([end, *(i for i in others if i > number)])]
        if not all(any(DELAY in near for near in side) for side in (before, behind)):
            missing.append(number + 1)
    return missing


def kernel_sources():
    """What the library is compiled from: not the second implementations, examples and timings, nor the delays."""
    left_out = {"planted", "examples", "bench", "check"}
    every = (path for path in sorted(GPU.rglob("*.cu*")) if path.name != "delay.cuh")
    return [path for path in every if path.relative_to(GPU).parts[0] not in left_out]


class DelayTest(unittest.TestCase):
    def test_shared_memory_is_found_by_arrays_and_not_by_offsets(self):
        for path in [*kernel_sources(), GPU / "device" / "delay.cuh"]:
            with self.subTest(path.relative_to(GPU)):
                self.assertNotRegex("\n".join(code_lines(path.read_text())), BARE_OFFSET)
        self.assertRegex("\n".join(code_lines('asm("mov.u32 %0, %reserved_smem_offset_end;");')), BARE_OFFSET)

    def test_every_synchronisation_of_the_kernels_has_delays(self):
        for path in kernel_sources():
            with self.subTest(path.relative_to(GPU)):
                self.assertEqual(undelayed(path.read_text()), [])

    def test_the_sources_are_those_of_the_library(self):
        units = re.findall(r"^  (\w+/\w+\.cu)\b", (GPU / "CMakeLists.txt").read_text(), re.M)
        found = {str(path.relative_to(GPU)) for path in kernel_sources() if path.suffix == ".cu"}
        self.assertEqual(found, {unit for unit in units if not unit.startswith("bench/")})

    def test_the_kinds_of_synchronisation_are_found(self):
        """Each kind that the kernels have: block, warp, cluster, copies, other kernels, memory."""
        text = "\n".join("\n".join(code_lines(path.read_text())) for path in kernel_sources())
        found = {match.group(0) for match in SYNCHRONISES.finditer(text)}
        for kind in (
            "__syncthreads(",
            "__syncwarp(",
            "__threadfence(",
            "this_cluster().sync(",
            "barrier.c",
            "mbarrier.t",
            "fence.m",
            "cp.async.bulk",
            "cp.async.wait",
            "__pipeline_wait_prior(",
            "cudaGridDependencySynchronize(",
            "ld.acquire",
        ):
            self.assertIn(kind, found)

    def test_a_delay_that_is_missing_on_either_side_is_named(self):
        lines = ["__device__ void f() {", "delay_here();", "__syncthreads();", "delay_here();", "__threadfence();", "}"]
        self.assertEqual(undelayed("\n".join(lines)), [5])
        self.assertEqual(undelayed("\n".join([lines[0], "", *lines[2:]])), [3, 5])
        self.assertEqual(undelayed("\n".join([*lines[:4], "delay_here(site);", "}"])), [])

    def test_the_strings_of_one_statement_are_one_synchronisation(self):
        waits = ["asm volatile(", '"@p cp.async.wait_group 1;"', '"@q cp.async.wait_group 0;" ::: "memory");']
        lines = ["__device__ void f() {", "delay_here();", *waits, "delay_here();", "}"]
        self.assertEqual(undelayed("\n".join(lines)), [])
        self.assertEqual(undelayed("\n".join([*lines[:5], "", "}"])), [4])
        self.assertEqual(undelayed("\n".join([*lines[:5], *lines[2:]])), [4, 7])

    def test_a_delay_of_another_function_or_in_a_comment_does_not_count(self):
        delayed = "__device__ void f() {\n  delay_here();\n}\n"
        self.assertEqual(undelayed(delayed + "__device__ void g() {\n  __syncwarp();\n}\n" + delayed), [5])
        self.assertEqual(undelayed("__device__ void f() {\n  // delay_here();\n  __syncwarp();\n}\n"), [3])
        self.assertEqual(undelayed("__device__ void f() {\n  // __syncwarp();\n}\n"), [])


if __name__ == "__main__":
    unittest.main()
