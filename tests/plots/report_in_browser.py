"""Does report.html work in a browser? Usage: report_in_browser.py CHROMIUM REPORT

In headless Chromium, from the width of a phone to that of a large desktop: no error, no request, every image drawn, no
content wider than the page, no stacked table wider than a phone, every closed box opens to its tables, every table
sorts, the search finds statements, a link opens what it leads to, and the page can be used within seconds. A script
appended to a copy of the report looks and tells what it saw; a page around it, as wide as a phone, because no window of
Chromium is that narrow, writes it into itself, and Chromium prints that.
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
function shown() { return document.querySelectorAll('article.statement:not([hidden])').length; }
function found() {
  var all = document.querySelectorAll('article.statement'), last = all[all.length - 1];
  var search = document.getElementById('filter-text'), before = shown();
  search.value = last.id.replace('statement-', ''); search.dispatchEvent(new Event('input', {bubbles: true}));
  var some = shown(), here = !last.hidden;
  search.value = 'zzzz'; search.dispatchEvent(new Event('input', {bubbles: true}));
  var none = shown();
  location.hash = '#' + last.id;
  window.dispatchEvent(new HashChangeEvent('hashchange'));
  return before === all.length && some >= 1 && some < before && here && none === 0 && shown() === before
      && last.querySelector('details').open;
}
window.addEventListener('load', function () {
  var searched = found();
  document.querySelectorAll('details').forEach(function (d) { d.open = true; });
  wait(searched, 150);
});
// Until every figure and every table of the opened boxes is unfolded, which is done bit by bit.
function wait(searched, times) {
  var folded = document.querySelectorAll('noscript.folded').length;
  var drawn = Array.from(document.images).every(function (i) { return i.complete; });
  if ((folded || !drawn) && times) setTimeout(function () { wait(searched, times - 1); }, 100);
  else look(searched);
}
function look(searched) {
  var unsorted = 0, sortable = document.querySelectorAll('table.sortable');
  sortable.forEach(function (table) {
    table.querySelectorAll('thead th').forEach(function (th) {
      th.querySelector('button').click();
      if (th.getAttribute('aria-sort') !== 'ascending') unsorted += 1;
    });
  });
  var images = Array.from(document.images), timing = performance.getEntriesByType('navigation')[0];
  var saw = {
    errors: errors, unsorted: unsorted, images: images.length, tables: sortable.length, searched: searched,
    drawn: images.filter(function (i) { return i.complete && i.naturalWidth > 0; }).length,
    requests: performance.getEntriesByType('resource').map(function (e) { return e.name; })
        .filter(function (name) { return name.slice(0, 5) !== 'data:'; }),
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    width: window.innerWidth, milliseconds: Math.round(timing.domInteractive - timing.startTime)
  };
  saw.wide = Array.from(document.querySelectorAll('table.stacked')).filter(function (table) {
    return table.parentElement.scrollWidth > table.parentElement.clientWidth;
  }).length;
  saw.folded = document.querySelectorAll('noscript.folded').length;
  parent.postMessage(JSON.stringify(saw), '*');
}
</script>"""
AROUND = """<!DOCTYPE html><body style="margin:0"><iframe style="border:0" width="%d" height="900" src="report.html"></iframe>
<script>window.addEventListener('message', function (e) { document.body.setAttribute('data-saw', e.data); });</script>"""
WIDTHS = (390, 1280, 1920)
# Until the page can be used, on a machine that does other things besides.
MOST_MILLISECONDS = 5000


def seen(chromium, page, width):
    with tempfile.TemporaryDirectory() as profile:
        command = [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            f"--user-data-dir={profile}", f"--window-size={width},900", "--virtual-time-budget=20000",
            "--enable-logging=stderr", "--dump-dom", page.as_uri(),
        ]  # fmt: skip
        run = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    found = re.search(r'data-saw="([^"]*)"', run.stdout)
    if not found:
        sys.exit(f"Chromium showed no page: {run.stderr[-2000:]}")
    console = [line for line in run.stderr.splitlines() if ":CONSOLE" in line]
    return json.loads(unescape(found[1])), console


def main(chromium, report):
    text = Path(report).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "report.html").write_text(text.replace("</head>", LOOK + "</head>", 1), encoding="utf-8")
        for width in WIDTHS:
            page = Path(folder, f"width{width}.html")
            page.write_text(AROUND % width, encoding="utf-8")
            saw, console = seen(chromium, page, width)
            expected = {
                "errors": [], "unsorted": 0, "images": saw["images"], "tables": text.count('<table class="sortable'),
                "wide": 0 if width == WIDTHS[0] else saw["wide"], "folded": 0, "searched": True, "drawn": saw["images"],
                "requests": [], "overflow": 0, "width": width,
                "milliseconds": min(saw["milliseconds"], MOST_MILLISECONDS),
            }  # fmt: skip
            if saw != expected or console or saw["images"] == 0 or saw["tables"] < 5:
                sys.exit(f"at {width} pixels: {saw}\n" + "\n".join(console))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
