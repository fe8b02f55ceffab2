"""Does each setting show its exact errors and the bounds in both readings?"""

import audit_terms
import matplotlib.pyplot as plt
import style
from plot_case import PlotCase, lines_of, points


def audit_rows():
    common = {"family": "gaussian", "keys": 4096, "dim": 128, "tables": 60, "samples": 410}
    errors = {"sampling_error_exact": 0.25, "finite_tables_error_exact": 0.5, "bias_exact": 0.125}
    return [common | errors | {"planes": planes, "temperature": 0.5} for planes in (8, 10)]


def bound_rows():
    return [
        {"planes": planes, "temperature": 0.5, "reading": reading}
        | {f"{term}_bound": factor * times for term, factor in (("sampling", 2), ("finite_tables", 4), ("bias", 8))}
        for planes in (8, 10)
        for reading, times in (("realised", 1), ("almost-sure", 10))
    ]


class AuditTerms(PlotCase):
    def test_the_exact_error_and_the_realised_bound_of_each_setting(self):
        figure = audit_terms.draw(audit_rows(), bound_rows())
        self.addCleanup(plt.close, figure)

        bound, error = lines_of(figure.axes[0], style.COLOURS["finite-tables"])
        self.assertEqual((points(bound), points(error)), ([(0, 4), (1, 4)], [(0, 0.5), (1, 0.5)]))

    def test_a_bar_goes_from_the_realised_to_the_almost_sure_reading(self):
        figure = audit_terms.draw(audit_rows(), bound_rows())
        self.addCleanup(plt.close, figure)

        bars = figure.axes[0].collections[1]  # of the finite tables
        self.assertEqual([segment[:, 1].tolist() for segment in bars.get_segments()], [[4, 40], [4, 40]])

    def test_the_file(self):
        self.write_csv("audit.csv", audit_rows())
        self.write_csv("audit_bounds.csv", bound_rows())

        audit_terms.main(self.folder)

        self.assertEqual(self.drawn(), ["audit_terms"])
