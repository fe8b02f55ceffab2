// socketlab attend: the estimators on the user's own queries, keys and values.
#include <fmt/format.h>

#include "experiments/attend/attend_all.hpp"
#include "experiments/attend/comparison.hpp"
#include "experiments/attend/report.hpp"
#include "experiments/attend/variants.hpp"
#include "experiments/command/command.hpp"
#include "experiments/command/progress.hpp"
#include "experiments/command/provenance.hpp"

namespace skt {
namespace {

int run_attend_command(const AttendRequest& request, const SharedOptions& shared) {
  AttendProblem problem(request.files);
  std::vector<AttendVariant> variants = attend_variants(request, problem, Seed{shared.seed});
  problem.check_elements();

  StagedFiles files(shared.out);
  const ScoresFile scores = request.no_scores ? ScoresFile::left_out : ScoresFile::written;
  std::vector<AttendReport> reports;
  reports.emplace_back(files, "", problem, variants.front(), attend_settings(problem, variants.front()), scores);
  std::optional<AttendComparison> comparison;
  if (variants.size() == 2) {
    reports.emplace_back(files, "-" + request.compare, problem, variants.back(),
                         attend_settings(problem, variants.back()), scores);
    comparison.emplace(variants.front(), variants.back());
  }
  const auto add = [&](Index head, const std::vector<QueryResult>& results) {
    for (Index v = 0; v < std::ssize(results); ++v) reports[v].add(head, results[v]);
    if (comparison) comparison->add(head, results.front(), results.back());
  };
  {
    ProgressMeter meter("attend", attend_steps(problem, variants));
    attend_all(problem, variants, add, [&meter] { meter.advance(); });
  }
  std::string text;
  for (Index v = 0; v < std::ssize(reports); ++v) {
    if (reports.size() > 1) text += variants[v].profile + "\n";
    text += reports[v].table();
    reports[v].finish();
  }
  if (comparison) {
    files.add("comparison.json") << comparison->rows().dump(2) << '\n';
    text += comparison->line();
  }
  files.add("provenance.json") << provenance_json({shared.command, shared.seed, ""});
  files.commit();
  fmt::print("{}", text);
  return kAsExpected;
}

constexpr const char* kWrittenFiles =
    "Query head h attends to key head h / (heads / key_heads), as in grouped-query attention (GQA). A tensor in a "
    ".safetensors file is given as FILE:NAME, or found by the name queries, keys, values, hyperplanes, corners, mask "
    "or q, k, v, w, m.\n"
    "\n"
    "Writes to --out, shaped as the queries:\n"
    "  scores.npy          [.., keys]: the ranker's scores, -inf where masked; not written "
    "with --no-scores\n"
    "  selected.npy        int64 [.., min(keys, budget + sink + window)]: sink and window keys first, then the "
    "others by decreasing score, ties to the lower index; -1 where fewer keys are allowed (gpt-fast and hf can list "
    "a key twice and have extra columns for that)\n"
    "  output.npy          [.., value_dim]\n"
    "  corrected.npy       likewise, with --error-samples: the output with the sample's estimate of the rest\n"
    "  summary.json        the numbers of every head and query\n"
    "  attend_curves.csv   error against density (plots/attend_curves.py draws it)\n"
    "  provenance.json     what made them\n"
    "--compare HUB also writes these files with -HUB before the dot, and comparison.json.\n"
    "\n"
    "Columns of the table and fields of a query in summary.json. A number that is not defined is null or -, and "
    "means leave it out:\n"
    "  query, head         counted from 0; all queries of a head, then the next head\n"
    "  allowed, selected   keys that the mask lets the query see; how many of them are selected\n"
    "  residual_weight     eps: softmax mass (sum of dense weights) of the allowed keys not selected\n"
    "  snr                 (1 - eps) / eps\n"
    "  absolute_error      norm of (output - output of dense attention over the allowed keys)\n"
    "  relative_error      absolute_error / norm of the dense output\n"
    "  context_divergence  distance between the softmax means of the selected and of the other values\n"
    "  log_sum_exp         natural logarithm of the sum of exp(q.k/sqrt(dim)) over the selected keys (summary.json)\n"
    "  recall              share of the true top keys by q.k, as many as selected, that are selected\n"
    "  recall_failure      1 if the key of largest q.k is not selected, else 0\n"
    "  sampled             with --error-samples, null where no key is selected: read and stages (keys of the rest read, "
    "lists tried); residual_weight and error (estimates); residual_weight_limit and error_limit (each exceeded with "
    "probability at most delta); residual_weight_nominal_limit (Student's, not proved); corrected_error "
    "(norm of (corrected - dense))\n"
    "Columns of attend_curves.csv: head (or all); ranking (the profile's own or true-top-k); density, the share of "
    "the allowed keys selected in addition to sink and window; number of queries averaged; means of the number of "
    "selected keys, of residual_weight and of relative_error.\n"
    "\n"
    "With --lists kv-head the scores of heads that share a KV head are one row, as are their lists: logarithms to "
    "base 2.\n"
    "\n"
    "A query without a selected key (budget 0, or a mask that allows nothing) has \"selected\": 0 and no errors in "
    "summary.json. Its row of output.npy is 0, or NaN (0/0) under a published profile.";

}  // namespace

Command attend_command() {
  Command command = make_command<AttendRequest>(
      "attend", "Runs the estimators on your own queries, keys and values (.npy, .safetensors)", run_attend_command);
  command.footer = kWrittenFiles;
  return command;
}

}  // namespace skt
