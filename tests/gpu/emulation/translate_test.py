"""Does the translation of kernels refuse what it does not know, and keep what it does?

python3 -m unittest translate_test      in tests/gpu/emulation
"""

import pathlib
import sys
import unittest

GPU = pathlib.Path(__file__).parents[3] / "gpu"
sys.path.insert(0, str(GPU / "emulation"))
import translate  # noqa: E402


class Translation(unittest.TestCase):
    def test_an_unknown_statement_is_refused_by_one_line_that_names_it(self):
        with self.assertRaises(translate.NotKnown) as refused:
            translate.translated('asm volatile("bar.red.popc.u32 %0, 0, 1;" : "=r"(x));', "gpu/some.cuh")
        self.assertRegex(str(refused.exception), r"^gpu/some.cuh: [^\n]* bar.red.popc.u32 %0, 0, 1;$")

    def test_operands_stand_in_their_order_and_lines_keep_their_numbers(self):
        text = 'asm("lop3.b32 %0, %1, %2, %3, 0xCA;"\n : "=r"(d)\n : "r"(a), "r"(b[f(1, 2)]), "r"(n::c));\nnext();'
        expected = "d = ((a) & (b[f(1, 2)])) | (~(a) & (n::c))\n\n;\nnext();"
        self.assertEqual(translate.translated(text, "f"), expected)

    def test_an_unknown_form_of_a_shared_array_is_refused(self):
        with self.assertRaises(translate.NotKnown):
            translate.translated("__shared__ int one[2], other[2];", "f")

    def test_shared_variables_of_one_line_are_two(self):
        text = translate.translated("__shared__ int one; __shared__ alignas(16) float two[3];", "f")
        at = "skt::emulation::static_shared"
        expected = (
            f'auto& one = {at}<int>(__FILE__ ":one", __LINE__); auto& two = {at}<float[3]>(__FILE__ ":two", __LINE__);'
        )
        self.assertEqual(text, expected)

    def test_a_launch_of_a_template_may_take_several_lines(self):
        text = translate.translated("mine::kernel<float, 4><<<grid,\n 32>>>(x);  // no <<<launch>>> here", "f")
        self.assertEqual(
            text, "skt::emulation::launcher(mine::kernel<float, 4>, grid,\n 32)(x);  // no <<<launch>>> here"
        )

    def test_every_kernel_is_translated(self):
        for source in sorted(GPU.rglob("*.cu*")):
            folder = source.relative_to(GPU).parts[0]
            if folder not in ("bench", "examples", "planted"):
                text = translate.translated(source.read_text(encoding="utf-8"), source.name)
                self.assertNotRegex(text, r"\basm\b")


if __name__ == "__main__":
    unittest.main()
