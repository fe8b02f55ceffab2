'use strict';
// Tables sort by the column whose heading is pressed.
document.addEventListener('click', function (event) {
  const button = event.target.closest('table.sortable th button');
  if (!button) return;
  const heading = button.parentElement, table = heading.closest('table'), body = table.tBodies[0];
  const column = heading.cellIndex, up = heading.getAttribute('aria-sort') !== 'ascending';
  table.querySelectorAll('thead th').forEach(function (other) { other.removeAttribute('aria-sort'); });
  heading.setAttribute('aria-sort', up ? 'ascending' : 'descending');
  function key(row) { const cell = row.cells[column]; return cell.dataset.sort || cell.textContent.trim(); }
  Array.from(body.rows).sort(function (a, b) {
    const x = key(a), y = key(b), difference = Number(x) - Number(y);
    const order = Number.isNaN(difference) ? x.localeCompare(y) : difference;
    return up ? order : -order;
  }).forEach(function (row) { body.appendChild(row); });
});

// Most of the page are figures and the tables of closed boxes. A browser that runs this takes a <noscript> for text, so
// that the page can be used at once; figures are unfolded when it is, tables when their box is opened.
function unfold(part) {
  part.querySelectorAll('noscript.folded').forEach(function (kept) {
    kept.insertAdjacentHTML('beforebegin', kept.textContent);
    kept.remove();
  });
}
function unfoldFigures() {
  const next = document.querySelector('.frame > noscript.folded');
  if (!next) return;
  unfold(next.parentElement);
  setTimeout(unfoldFigures);
}
window.addEventListener('load', unfoldFigures);
document.addEventListener('toggle', function (event) { if (event.target.open) unfold(event.target); }, true);

// Statements are shown that hold every word of the search and are of the chosen area, verdict and wording.
(function () {
  const form = document.getElementById('filter');
  if (!form) return;
  const kinds = ['area', 'verdict', 'wording'];
  const all = Array.from(document.querySelectorAll('article.statement')).map(function (article) {
    return {article: article, text: article.textContent.replace(/<[^>]*>/g, ' ').toLowerCase()};
  });
  function apply() {
    const words = document.getElementById('filter-text').value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    all.forEach(function (one) {
      const fits = kinds.every(function (kind) {
        const wanted = document.getElementById('filter-' + kind).value;
        return !wanted || one.article.dataset[kind] === wanted;
      }) && words.every(function (word) { return one.text.includes(word); });
      one.article.hidden = !fits;
      shown += fits;
    });
    document.getElementById('filter-count').textContent = shown + ' of ' + all.length + ' statements';
  }
  form.hidden = false;
  form.addEventListener('input', apply);
  form.addEventListener('submit', function (event) { event.preventDefault(); });
  form.addEventListener('reset', function () { setTimeout(apply); });

  // A link leads to its target even where it is filtered away or folded, and opens it.
  function reach() {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.hidden) { form.reset(); all.forEach(function (one) { one.article.hidden = false; }); }
    for (let box = target.closest('details'); box; box = box.parentElement.closest('details')) box.open = true;
    const own = target.matches('article.statement') && target.querySelector('details');
    if (own) own.open = true;
    target.scrollIntoView();
  }
  window.addEventListener('hashchange', reach);
  apply();
  reach();
})();

// On paper everything is open.
window.addEventListener('beforeprint', function () {
  unfold(document);
  document.querySelectorAll('details:not([open])').forEach(function (box) { box.dataset.folded = ''; box.open = true; });
});
window.addEventListener('afterprint', function () {
  document.querySelectorAll('details[data-folded]').forEach(function (box) { box.open = false; delete box.dataset.folded; });
});
