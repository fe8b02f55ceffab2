"""Which words of a page does the site's search know? English ones, and numbers: Sphinx alone cuts 145,408 at its comma, and
its search then skips both parts, as it skips every term of digits alone.

A number keeps its point and its commas, and a whole one of four digits and more gets commas: 145408 and 145,408 are one
word, in the pages and in what is searched for. Of whole numbers below 1,000 the search knows none.
"""

import re

WORD = re.compile(r"\d+(?:[.,]\d+)+|\w+")

# The same for what is typed, in JavaScript; Sphinx takes a function of this name.
SPLITTER = r"""
var splitQuery = (query) => (query.match(/\d+(?:[.,]\d+)+|[\p{Letter}\p{Number}_]+/gu) || [])
  .map((word) => /^[1-9]\d{3,}$/.test(word) ? word.replace(/\B(?=(\d{3})+$)/g, ",") : word);
"""


def words(text):
    found = WORD.findall(text)
    return [f"{int(word):,}" if re.fullmatch(r"[1-9]\d{3,}", word) else word for word in found]


def language():
    """The English search of Sphinx, which stays in charge of stems and of words too common to be looked for."""
    from sphinx.search.en import SearchEnglish  # only a build of the site has it

    class EnglishWithNumbers(SearchEnglish):
        js_splitter_code = SPLITTER

        def split(self, input):
            return words(input)

    return EnglishWithNumbers
