"""Sphinx's settings for the documentation site; build.py calls it. See https://www.sphinx-doc.org."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import search_words  # noqa: E402

project = "socketlab"
author = "the socketlab authors"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
html_theme = "furo"
html_title = "socketlab"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["static"]  # beside this file
html_css_files = ["site.css"]
highlight_language = "none"  # most blocks are shells, mixed with what they print
myst_heading_anchors = 4
# MyST of Debian 12 has no name for a link to a page that is not one of the site; such links are warnings and fail the build.
nitpicky = False


def setup(app):
    app.add_search_language(search_words.language())
