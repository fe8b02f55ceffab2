"""Does each setting show its exact errors and the bounds in both readings?"""

import audit_terms
import style
from plot_case import PlotCase, lines_of, points


def audit_rows(family="gaussian", error=0.5):
    common = {"family": family, "keys": 4096, "dim": 128, "tables": 60, "samples": 410}
    errors = {"sampling_error_exact": 0.25, "finite_tables_error_exact": error, "bias_exact": 0.125}
    return [common | errors | {"planes": planes, "temperature": 0.5} for planes in (8, 10)]


def bound_rows(family="gaussian", factors=(2, 4, 8)):
    return [
        {
            "family": family, "keys": 4096, "tables": 60, "samples": 410, "planes": planes, "temperature": 0.5,
            "reading": reading,
        }
        | {
            f"{term}_bound": factor * times
            for term, factor in zip(("sampling", "finite_tables", "bias"), factors, strict=True)
        }
        for planes in (8, 10)
        for reading, times in (("realised", 1), ("almost-sure", 10))
    ]  # fmt: skip


class AuditTerms(PlotCase):
    def test_the_exact_error_and_the_realised_bound_of_each_setting(self):
        figure = audit_terms.draw(audit_rows(), bound_rows())

        bound, error = lines_of(figure.axes[0], style.COLOURS["finite-tables"])
        self.assertEqual((points(bound), points(error)), ([(0, 4), (1, 4)], [(0, 0.5), (1, 0.5)]))

    def test_a_bar_goes_from_the_realised_to_the_almost_sure_reading(self):
        figure = audit_terms.draw(audit_rows(), bound_rows())

        bars = figure.axes[0].collections[1]  # of the finite tables
        self.assertEqual([segment[:, 1].tolist() for segment in bars.get_segments()], [[4, 40], [4, 40]])

    def test_a_figure_to_each_family_with_its_own_bounds(self):
        self.write_csv("audit.csv", [*audit_rows(), *audit_rows("needle", 0.75)])
        self.write_csv("audit_bounds.csv", [*bound_rows(), *bound_rows("needle", (3, 6, 9))])

        jobs = audit_terms.figures(self.folder)

        self.assertEqual([path.name for path, *_ in jobs], ["audit_terms_gaussian", "audit_terms_needle"])
        _, draw, *given = jobs[1]
        (axes,) = draw(*given).axes
        bound, error = lines_of(axes, style.COLOURS["finite-tables"])
        self.assertEqual((points(bound), points(error)), ([(0, 6), (1, 6)], [(0, 0.75), (1, 0.75)]))
        self.assertEqual(axes.get_title("left"), "needle: $N$=4096, $d$=128, $L$=60, $M$=410")
