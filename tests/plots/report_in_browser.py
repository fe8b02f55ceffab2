"""Does report.html work in a browser? Usage: report_in_browser.py CHROMIUM REPORT

In headless Chromium, at the width of a desktop and of a phone: no error, no request, every image drawn, no content
wider than the page, and every table sorts. A script appended to a copy of the report looks and writes what it saw into
the page, which Chromium prints.
"""

import json
import re
import subprocess
import sys
import tempfile
from html import unescape
from pathlib import Path

LOOK = """<script>
var errors = [];
window.addEventListener('error', function (e) { errors.push(String(e.message)); }, true);
window.addEventListener('load', function () {
  document.querySelectorAll('details').forEach(function (d) { d.open = true; });
  var unsorted = 0;
  document.querySelectorAll('table').forEach(function (table) {
    table.querySelectorAll('th').forEach(function (th) {
      th.querySelector('button').click();
      if (th.getAttribute('aria-sort') !== 'ascending') unsorted += 1;
    });
  });
  var images = Array.from(document.images);
  var saw = {
    errors: errors, unsorted: unsorted, images: images.length, tables: document.querySelectorAll('table').length,
    drawn: images.filter(function (i) { return i.complete && i.naturalWidth > 0; }).length,
    requests: performance.getEntriesByType('resource').map(function (e) { return e.name; })
        .filter(function (name) { return name.slice(0, 5) !== 'data:'; }),
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth
  };
  document.body.setAttribute('data-saw', JSON.stringify(saw));
});
</script>"""


def seen(chromium, page, width):
    with tempfile.TemporaryDirectory() as profile:
        command = [
            chromium,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            f"--user-data-dir={profile}",
            f"--window-size={width},900",
            "--virtual-time-budget=20000",
            "--enable-logging=stderr",
            "--dump-dom",
            page.as_uri(),
        ]
        run = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    found = re.search(r'data-saw="([^"]*)"', run.stdout)
    if not found:
        sys.exit(f"Chromium showed no page: {run.stderr[-2000:]}")
    console = [line for line in run.stderr.splitlines() if ":CONSOLE" in line]
    return json.loads(unescape(found[1])), console


def main(chromium, report):
    text = Path(report).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(text.replace("</head>", LOOK + "</head>", 1), encoding="utf-8")
        for width in (1280, 500):  # 500: the narrowest window that Chromium opens
            saw, console = seen(chromium, page, width)
            expected = {
                "errors": [],
                "unsorted": 0,
                "images": saw["images"],
                "tables": saw["tables"],
                "drawn": saw["images"],
                "requests": [],
                "overflow": 0,
            }
            if saw != expected or console or saw["images"] == 0 or saw["tables"] < 5:
                sys.exit(f"at {width} pixels: {saw}\n" + "\n".join(console))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
