"""Are the rows of the published setting shown, and is the speed-up the faster dense attention over the step?"""

import decode_speed
from plot_case import PlotCase, points

KEYS = 33 * 1024


def step(stage, median, **more):
    row = {
        "stage": stage, "batch": 1, "heads": 32, "kv_heads": 32, "tables": 60, "planes": 10, "keys": KEYS,
        "budget": 1024, "median_us": median, "fastest_us": median - 10, "slowest_us": median + 10, "floor_us": 20,
    }  # fmt: skip
    return row | more


def dense(backend, median, **more):
    row = {"backend": backend, "batch": 1, "kv_heads": 32, "keys": KEYS}
    return row | {"median_us": median, "fastest_us": median - 20, "slowest_us": median + 20} | more


class DecodeSpeed(PlotCase):
    def test_the_published_setting_in_order_of_length(self):
        rows = [
            step("decode-step", 50),
            step("decode-step", 30, keys=KEYS // 2, budget=512),
            step("decode-step", 60, budget=2048),
            step("decode-step", 40, kv_heads=8),
            step("decode-step", 70, tables=30),
        ]

        self.assertEqual([row["median_us"] for row in decode_speed.of_setting(rows, 32)], [30, 50])

    def test_the_speed_up_is_the_faster_dense_over_the_step(self):
        rivals = [dense("dense-flash", 220), dense("dense-cudnn", 200), dense("dense-math", 100)]

        figure = decode_speed.speedup([step("decode-step", 50)], rivals)

        axes = figure.axes[0]
        self.assertEqual(points(axes.lines[0]), [(KEYS, 4)])
        band = axes.collections[0].get_paths()[0].vertices[:, 1]
        self.assertEqual((band.min(), band.max()), (180 / 60, 220 / 40))  # the extremes of both

    def test_the_floor_is_drawn_from_the_step(self):
        figure = decode_speed.times([step("decode-step", 50)], [dense("dense-flash", 220)], [])

        floors = [line for line in figure.axes[0].lines if line.get_label().startswith("floor")]
        self.assertEqual([points(line) for line in floors], [[(KEYS, 20)]])

    def test_the_files(self):
        self.write_csv("decode_h200.csv", [step("decode-step", 50), step("decode-step", 40, kv_heads=8)])
        self.write_csv("dense_h200.csv", [dense("dense-flash", 220), dense("dense-flash", 60, kv_heads=8)])
        self.write_csv("published_h200.csv", [step("replica-eager", 500)])

        self.check_files(["decode_speedup", "decode_time"], decode_speed.main, self.folder, self.folder)
