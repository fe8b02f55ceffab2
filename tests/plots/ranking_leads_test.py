"""Is SOCKET above or below where its whole interval is, and are the values of k counted so?"""

import ranking_leads
from plot_case import PlotCase
from ranking_curves import METRIC_LABELS


def lead(low, high, **more):
    return {"socket_lead_lo": low, "socket_lead_hi": high} | more


class RankingLeads(PlotCase):
    def test_leads_are_named_by_their_whole_interval(self):
        words = [ranking_leads.word(lead(*ends)) for ends in ((0.1, 0.2), (-0.2, -0.1), (-0.1, 0.1), (0, 0.1))]

        self.assertEqual(words, ["above", "below", "level", "level"])

    def test_a_lead_that_is_not_known_is_level(self):
        self.assertEqual(ranking_leads.word(lead(float("nan"), float("nan"))), "level")

    def test_leads_are_counted(self):
        rows = [lead(0.1, 0.2), lead(0.01, 0.3), lead(-0.2, -0.1), lead(-0.1, 0.1)]

        self.assertEqual(ranking_leads.order_cell(rows), "2 above, 1 below, 1 level")

    def test_a_line_to_each_setting_and_rival_that_is_there(self):
        rows = [
            lead(0.1, 0.2, setting=setting, ranker=ranker, metric=metric)
            for setting, ranker in (("a", "socket"), ("a", "hamming"), ("b", "hard-lsh"), ("b", "hamming"))
            for metric in METRIC_LABELS
        ]

        lines = [(setting, rival, set(cells), len(cells)) for setting, rival, cells in ranking_leads.counted(rows)]

        every = ({"1 above, 0 below, 0 level"}, len(METRIC_LABELS))
        self.assertEqual(lines, [("a", "hamming", *every), ("b", "hard-lsh", *every), ("b", "hamming", *every)])
