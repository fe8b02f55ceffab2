"""How does a formula of a heading, which stands between backticks, become mathematics? As a node of Sphinx, so that lists of
contents show it too, while anchors and the search keep its ASCII.
"""

import typeset
from docutils import nodes


def set_formulas(_, doctree):
    for title in doctree.findall(nodes.title):
        for code in list(title.findall(nodes.literal)):
            if typeset.is_formula(code.astext()):
                code.replace_self(nodes.math(code.astext(), code.astext()))


def visit_math(translator, node):
    translator.body.append(typeset.html(node.astext()))
    raise nodes.SkipNode


def install(app):
    app.add_html_math_renderer("mathml", inline_renderers=(visit_math, None))
    app.connect("doctree-read", set_formulas, priority=400)  # before Sphinx collects the titles, at 500
