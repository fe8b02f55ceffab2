"""Do stages and learning rate follow the share of the time?"""

import unittest

from case import needs
from learned_attention import schedule
from learned_attention.refusals import Refused


@needs()
class Schedule(unittest.TestCase):
    def test_the_table_ends_with_the_time_and_its_windows_grow(self):
        self.assertEqual(schedule.STAGES[-1].ends, 1.0)
        ends, windows = ([getattr(stage, name) for stage in schedule.STAGES] for name in ("ends", "window"))
        self.assertEqual((ends, windows), (sorted(ends), sorted(windows)))
        self.assertEqual(windows[-1], 32_768)

    def test_a_stage_holds_until_its_share(self):
        stages = (schedule.Stage(0.25, 8, 0.1), schedule.Stage(1.0, 16, 0.2))
        for share, number in ((0, 0), (0.24, 0), (0.25, 1), (0.99, 1), (1.5, 1)):
            self.assertEqual(schedule.stage_at(stages, share), number)

    def test_no_window_is_longer_than_allowed(self):
        self.assertEqual([stage.window for stage in schedule.stages_up_to(1024)], [512, 1024, 1024, 1024, 1024])

    def test_rows_fill_the_tokens(self):
        self.assertEqual(schedule.rows_of(schedule.Stage(1, 4096, 0.3), 65_536), 16)
        self.assertEqual(schedule.rows_of(schedule.Stage(1, 4096, 0.3), 8191), 1)
        with self.assertRaisesRegex(Refused, "--tokens 4095: allowed are at least the longest window, 4096"):
            schedule.rows_of(schedule.Stage(1, 4096, 0.3), 4095)

    def test_the_rate_rises_stays_and_falls_in_lines(self):
        # 0.02 of warm-up; from 0.4 down to 0.02 at 1: half-way, at 0.7, 1 - 0.98 / 2 = 0.51.
        for share, rate in ((0, 0), (0.01, 0.5), (0.02, 1), (0.3, 1), (0.4, 1), (0.7, 0.51), (1, 0.02), (1.2, 0.02)):
            self.assertAlmostEqual(schedule.rate_at(share), rate, places=12)


if __name__ == "__main__":
    unittest.main()
