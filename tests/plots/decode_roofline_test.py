"""Do the points of the roofline stand at the counted operations over the bytes and over the time?"""

import decode_roofline
from plot_case import PlotCase, points

SETTING = {
    "batch": 1, "heads": 32, "kv_heads": 32, "keys": 145408, "tables": 60, "planes": 10, "budget": 4406,
    "sink": 128, "window": 128,
}  # fmt: skip


def row(stage, floor_bytes, median):
    return SETTING | {"stage": stage, "floor_bytes": floor_bytes, "median_us": median}


ROWS = [row("device-copy", 4e9, 1000), row("score-packed", 1e9, 100), row("select-keys", 1e7, 15)]
INDEX = [{"operation": "matmul-square", "tflops": 700}]


class DecodeRoofline(PlotCase):
    def test_operations_of_each_stage(self):
        small = {"batch": 1, "heads": 2, "kv_heads": 1, "keys": 10, "tables": 3, "planes": 4}
        small |= {"budget": 5, "sink": 1, "window": 2}
        of = lambda stage: decode_roofline.operations(small | {"stage": stage})  # noqa: E731

        self.assertEqual(of("build-index"), 2 * 10 * 13 * 128)  # 12 bits and the norm
        self.assertEqual(of("half-tables"), 2 * 2 * 12 * 128)
        self.assertEqual(of("score-packed"), 2 * 2 * 10 * 3)
        self.assertEqual(of("sparse-attention"), 4 * 2 * 8 * 128)
        self.assertEqual(of("decode-step"), 6144 + 120 + 8192)
        self.assertIsNone(of("select-keys"))

    def test_a_point_to_each_stage_that_computes(self):
        figure = decode_roofline.roofline(ROWS, INDEX)

        (point,) = [line for line in figure.axes[0].lines if line.get_linestyle() == "None"]
        count = 2 * 32 * 145408 * 60
        self.assertEqual(points(point), [(count / 1e9, count / 100 / 1e6)])

    def test_the_ceilings_are_those_measured(self):
        figure = decode_roofline.roofline(ROWS, INDEX)

        texts = " ".join(text.get_text() for text in figure.axes[0].texts)
        self.assertIn("700 TFLOP/s", texts)
        self.assertIn("device copy: 4.00 TB/s", texts)  # 4e9 bytes in 1,000 us

    def test_the_file(self):
        self.write_csv("decode_h200.csv", ROWS)
        self.write_csv("index_h200.csv", INDEX)

        self.check_files(["decode_roofline"], decode_roofline.main, self.folder, self.folder)
