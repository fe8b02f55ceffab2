"""Do figures look alike, and does the same figure give the same bytes?"""

import matplotlib.pyplot as plt
import style
from plot_case import PlotCase, points


class Style(PlotCase):
    def test_the_same_figure_gives_the_same_bytes(self):
        for name in ("first", "second"):
            figure, axes = plt.subplots()
            axes.plot([1, 2], [3, 4])
            style.save(figure, self.folder / name)
            plt.close(figure)

        for kind in ("png", "svg"):
            self.assertEqual(
                (self.folder / f"first.{kind}").read_bytes(), (self.folder / f"second.{kind}").read_bytes()
            )

    def test_every_ranker_has_a_look_of_its_own(self):
        looks = [look[:3] for look in style.RANKERS.values()]
        labels = [look[3] for look in style.RANKERS.values()]

        self.assertEqual(len(looks), len(set(looks)))
        self.assertEqual(len(labels), len(set(labels)))

    def test_a_ranker_is_drawn_with_its_label(self):
        figure, axes = plt.subplots()
        self.addCleanup(plt.close, figure)

        style.draw_ranker(axes, "quest", [1, 2], [0.5, 0.75])

        (line,) = axes.lines
        self.assertEqual(
            (line.get_label(), line.get_color(), points(line)), ("Quest", "#56B4E9", [(1, 0.5), (2, 0.75)])
        )

    def test_axes_with_plain_numbers(self):
        figure, axes = plt.subplots()
        self.addCleanup(plt.close, figure)
        axes.plot([1024, 8192], [0.5, 20])

        style.log_axis(axes.xaxis, base=2)
        style.thousands(axes.xaxis)
        style.log_axis(axes.yaxis)

        self.assertEqual((axes.get_xscale(), axes.get_yscale()), ("log", "log"))
        self.assertEqual(axes.xaxis.get_major_formatter()(8192, 0), "8K")
        self.assertEqual(axes.yaxis.get_major_formatter()(0.5, 0), "0.5")
