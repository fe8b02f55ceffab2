"""Are the trials drawn as the distribution that they are, the band as wide as its file says, the law and a planted lie beside it?"""

import figures.trial_distributions as distributions
import trial_distributions
from plot_case import PlotCase, lines_of, points

INFINITE = float("inf")


def trial(value, count, measured="claim", identifier="S1"):
    return {"id": identifier, "measured": measured, "instance": "two", "quantity": "X", "value": value, "count": count}


def law(value, probability, measured="claim", relation="=", identifier="S1"):
    row = trial(value, 0, measured, identifier)
    del row["count"]
    return row | {"relation": relation, "probability": probability, "band": 0.1}


# A fair coin: five of ten trials 0, four 1, one out of all bounds.
TRIALS = [trial(0, 5), trial(1, 4), trial(INFINITE, 1)]
CLAIM = [law(0, 0.5), law(1, 1.0)]
FAR, NEAR, HIDDEN = ([law(0, p, name), law(1, 0.95, name)] for name, p in (("far", 0.9), ("near", 0.65), ("hid", 0.55)))


class TrialDistributions(PlotCase):
    def drawn_panel(self, trials, laws):
        figure = distributions.draw(trials, laws)
        return figure.axes[0]

    def test_shares_are_of_all_trials_and_an_infinite_one_is_never_reached(self):
        self.assertEqual(distributions.steps(TRIALS), ([0, 1], [0.5, 0.9]))

    def test_a_law_is_as_far_as_its_worst_point(self):
        values, shares = [0, 1], [0.5, 0.9]
        self.assertAlmostEqual(distributions.outside(FAR, values, shares), 0.4)
        self.assertAlmostEqual(distributions.outside([law(0, 0.2)], values, shares), 0.3)  # too low a law as well
        # Of a tail only a law above the trials is false: at 0.5 half of them are, 0.8 are claimed.
        self.assertAlmostEqual(distributions.outside([law(0.5, 0.8, relation=">=")], values, shares), 0.3)
        self.assertAlmostEqual(distributions.outside([law(0.5, 0.2, relation=">=")], values, shares), -0.3)
        self.assertEqual(distributions.share_at(values, shares, -1), 0)

    def test_the_nearest_lie_that_leaves_the_band_is_shown(self):
        name, rows, distance = distributions.telling(CLAIM + FAR + NEAR + HIDDEN, [0, 1], [0.5, 0.9])
        self.assertEqual((name, rows), ("near", NEAR))
        self.assertAlmostEqual(distance, 0.15)
        self.assertIsNone(distributions.telling(CLAIM + HIDDEN, [0, 1], [0.5, 0.9]))

    def test_the_panel_holds_trials_claim_and_lie(self):
        axes = self.drawn_panel(TRIALS, CLAIM + NEAR)

        self.assertEqual(
            [points(line) for line in lines_of(axes, distributions.COLOURS["trials"])], [[(0, 0.5), (1, 0.9)]]
        )
        self.assertEqual(
            [points(line) for line in lines_of(axes, distributions.COLOURS["claim"])], [[(0, 0.5), (1, 1.0)]]
        )
        self.assertEqual(
            [points(line) for line in lines_of(axes, distributions.COLOURS["lie"])], [[(0, 0.65), (1, 0.95)]]
        )
        (band,) = axes.collections
        heights = {round(float(y), 6) for x, y in band.get_paths()[0].vertices if x < 1}
        self.assertEqual(heights, {0.4, 0.6})
        self.assertEqual(axes.get_title(loc="left"), "S1, 10 trials\nplanted lie: near")
        self.assertEqual((axes.get_xlabel(), axes.get_xscale()), ("X\ntwo", "linear"))

    def test_a_tail_of_positive_errors_has_a_log_axis(self):
        tail = [law(50, 0.9, relation=">=")]
        self.assertEqual(self.drawn_panel([trial(0.5, 10)], tail).get_xscale(), "log")
        self.assertEqual(self.drawn_panel([trial(-0.5, 10)], tail).get_xscale(), "linear")

    def test_of_a_tail_the_title_says_how_many_lie_beyond(self):
        axes = self.drawn_panel(TRIALS, [law(0.5, 0.4, relation=">=")])

        self.assertEqual(axes.get_title(loc="left"), "S1, 10 trials\nbeyond the bound: 0.5 of them, 0.6 allowed")

    def test_many_trials_are_thinned_to_what_is_seen(self):
        values = list(range(5000))
        seen, shares = distributions.thinned(values, [value / 4999 for value in values])
        self.assertLessEqual(len(seen), distributions.MOST_STEPS + 1)
        self.assertEqual((seen[0], seen[-1], shares[-1]), (0, 4999, 1))
        self.assertEqual(distributions.thinned([], []), ([], []))

    def test_without_laws_there_is_no_figure(self):
        self.assertEqual(trial_distributions.figures(self.folder), [])

    def test_the_files(self):
        self.write_csv("trials.csv", TRIALS + [trial(2, 3, identifier="S2")])
        self.write_csv("laws.csv", CLAIM + NEAR + [law(3, 0.9, relation=">=", identifier="S2")])

        self.check_files(["trial_distributions"], trial_distributions.main, self.folder)
