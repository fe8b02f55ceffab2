"""Is a statement found in the sources, with its line, and the method and power of its file?"""

import re
from pathlib import Path

from plot_case import PlotCase
from report_page import sources

ROOT = Path(__file__).resolve().parents[3]
FILE = """// Is it so?
//
//   S1  one thing
//
// Method: counts in
// exact intervals.
// Power: tau to 0.1.
#include <a>

Statement one() {
  return {.id = "S1",
          .title = "one"};
}
Statement two() {
  return {.id = "S2"};
}
"""


class Sources(PlotCase):
    def write(self, area):
        folder = self.folder / "proofs_check" / "statements" / area
        folder.mkdir(parents=True)
        (folder / "one.cpp").write_text(FILE, encoding="utf-8")

    def test_file_line_method_and_power(self):
        self.write("snr")

        places = sources.read_places(self.folder)

        self.assertEqual(places["S1"].text, "proofs_check/statements/snr/one.cpp:11")
        self.assertEqual(places["S2"].line, 15)
        self.assertEqual(places["S1"].method, "Counts in exact intervals.")
        self.assertEqual(places["S1"].power, "tau to 0.1.")  # a symbol stays one
        self.assertEqual(places["S1"].area, "Signal and noise")

    def test_a_folder_without_a_name_of_its_own_is_named_after_itself(self):
        self.write("new_area")

        self.assertEqual(sources.read_places(self.folder)["S1"].area, "New area")

    def test_without_sources_nothing_is_known(self):
        self.assertEqual(sources.read_places(self.folder), {})
        self.assertEqual(sources.Place().text, "")

    def test_every_file_of_the_list_says_method_and_power(self):
        places = sources.read_places(ROOT)

        self.assertGreater(len(places), 240)
        silent = sorted({place.file for place in places.values() if not (place.method and place.power)})
        self.assertEqual(silent, [])
        sentences = [
            sentence
            for place in places.values()
            for text in (place.method, place.power)
            for sentence in re.split(r"(?<=\.)\s+(?=[A-Z(])", text)
        ]
        self.assertGreater(max(len(sentence.split()) for sentence in sentences), 20)  # they are told apart
        self.assertEqual({sentence for sentence in sentences if len(sentence.split()) > 40}, set())
        longest = {place.file for place in places.values() if len(place.method.split()) > 80}
        self.assertEqual(longest, set())
        folders = {path.name for path in (ROOT / sources.STATEMENTS).iterdir() if path.is_dir()}
        self.assertEqual(folders - set(sources.AREAS), set())
