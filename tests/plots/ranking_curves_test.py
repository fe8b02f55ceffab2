"""Do the panels of Figure 2 show the rows of their metric, and the histogram its bins and its cutoff?"""

import matplotlib.pyplot as plt
import ranking_curves
import style
from plot_case import PlotCase, lines_of, points

SETTING = {"setting": "paper", "keys": 1024, "dim": 64, "planes": 8, "tables": 60, "temperature": 0.5}


def curve_rows(setting="paper", rankers=("socket", "hard-lsh", "hamming", "cosine-oracle"), instances=8):
    return [
        SETTING
        | {
            "setting": setting, "ranker": ranker, "truth": truth, "metric": metric, "k": k, "instances": instances,
            "value": value, "value_lo": value - 0.1, "value_hi": value + 0.1, "worst_tie_order": value - 0.2,
            "best_tie_order": value + 0.2, "socket_lead_lo": 0.1, "socket_lead_hi": 0.2,
            "lead_error": 1e-7,
        }
        for ranker in rankers
        for truth in ("dot-product", "cosine")
        for metric in ranking_curves.METRIC_LABELS
        for k, value in ((64, 0.6), (16, 0.4))
    ]  # fmt: skip


def histogram_rows(rankers=("hard-lsh", "hamming", "socket", "cosine-oracle")):
    return [
        SETTING
        | {"ranker": ranker, "k": 16, "keys": keys, "cutoff_query_norms": 1.5}
        | {"score_low_query_norms": low, "score_high_query_norms": low + 1}
        for ranker in rankers
        for low, keys in ((0, 4), (1, 12))
    ]


class RankingCurves(PlotCase):
    def test_a_curve_is_in_order_of_k_and_of_what_is_wanted_only(self):
        rows = ranking_curves.curve(curve_rows(), ranker="socket", metric="jaccard", truth="cosine")

        self.assertEqual([(row["k"], row["value"]) for row in rows], [(16, 0.4), (64, 0.6)])

    def test_figure_two(self):
        figure = ranking_curves.figure_two(curve_rows() + curve_rows("other"), histogram_rows())

        labels = [axes.get_ylabel() for axes in figure.axes]
        self.assertEqual(labels, ["Jaccard", "precision", "NDCG, graded", "selected keys in the bin"])
        (socket,) = lines_of(figure.axes[0], style.RANKERS["socket"][0])
        self.assertEqual(points(socket), [(16, 0.4), (64, 0.6)])

    def test_the_histogram_has_its_bins_and_the_cutoff(self):
        figure, axes = plt.subplots()

        ranking_curves.draw_histogram(axes, histogram_rows(), ["socket"])

        values, edges, _ = axes.patches[0].get_data()
        self.assertEqual((list(values), list(edges)), ([4, 12], [0, 1, 2]))
        self.assertEqual(list(axes.lines[0].get_xdata()), [1.5, 1.5])

    def test_a_panel_to_a_setting_and_the_others_empty(self):
        figure = ranking_curves.figure_settings(curve_rows() + curve_rows("one plane"))

        shown = [axes.get_title(loc="left").split(":")[0] for axes in figure.axes if axes.axison]
        self.assertEqual(shown, ["paper", "one plane"])
