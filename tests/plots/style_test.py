"""Do figures look alike, and does the same figure give the same bytes?"""

import contextlib
import io
import os
import signal
from unittest import mock

import matplotlib.pyplot as plt
import style
from plot_case import PlotCase, points
from script import Refused


def one_line(end):
    if end is None:
        raise Refused("no row")
    if end == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    figure, axes = plt.subplots()
    axes.plot([1, 2], [3, end])
    return figure


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

    def draw(self, cores, **ends):
        with mock.patch("os.sched_getaffinity", return_value=set(range(cores))):
            style.draw_all([(self.folder / name, one_line, end) for name, end in ends.items()])

    def test_figures_drawn_side_by_side_are_those_drawn_alone(self):
        self.draw(2, two_a=3, two_b=4, two_c=5)
        self.draw(1, one_a=3, one_b=4)
        self.draw(2)

        self.assertEqual(self.drawn(), ["one_a", "one_b", "two_a", "two_b", "two_c"])
        for kind in ("png", "svg"):
            files = {path.stem: path.read_bytes() for path in self.folder.glob(f"*.{kind}")}
            self.assertEqual((files["one_a"], files["one_b"]), (files["two_a"], files["two_b"]))
            self.assertNotEqual(files["one_a"], files["one_b"])

    def test_what_is_wrong_with_one_of_many_figures_is_said(self):
        for cores in (1, 2):
            with self.assertRaisesRegex(Refused, "no row"):
                self.draw(cores, good=3, bad=None)

    def test_a_process_that_was_ended_is_said(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as ended:
            self.draw(2, good=3, gone="kill")

        self.assertEqual(ended.exception.code, 2)
        self.assertIn("a drawing process was killed", said.getvalue())

    def test_every_ranker_has_a_look_and_a_label_of_its_own(self):
        colours = [colour for colour, marker, *_ in style.RANKERS.values() if marker]
        lines = [(colour, line) for colour, marker, line, _ in style.RANKERS.values() if not marker]
        labels = [look[3] for look in style.RANKERS.values()]

        for looks in (colours, lines, labels):
            self.assertEqual(len(looks), len(set(looks)))
        self.assertFalse(set(colours) & {colour for colour, _ in lines})

    def test_a_ranker_is_drawn_with_its_label(self):
        figure, axes = plt.subplots()

        style.draw_ranker(axes, "quest", [1, 2], [0.5, 0.75])

        (line,) = axes.lines
        self.assertEqual(
            (line.get_label(), line.get_color(), points(line)), ("Quest", "#9B4DFF", [(1, 0.5), (2, 0.75)])
        )

    def test_axes_with_plain_numbers(self):
        figure, axes = plt.subplots()
        axes.plot([1024, 8192], [0.5, 20])

        style.log_axis(axes.xaxis, base=2)
        style.thousands(axes.xaxis)
        style.log_axis(axes.yaxis)

        self.assertEqual((axes.get_xscale(), axes.get_yscale()), ("log", "log"))
        self.assertEqual(axes.xaxis.get_major_formatter()(8192, 0), "8K")
        self.assertEqual(axes.yaxis.get_major_formatter()(0.5, 0), "0.5")
