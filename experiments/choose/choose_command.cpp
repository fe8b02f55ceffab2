// socketlab choose: which rule, or which settings of SOCKET, lose least on the user's own queries, keys and values?
#include <fmt/format.h>

#include "experiments/choose/choose_request.hpp"
#include "experiments/choose/search_rows.hpp"
#include "experiments/command/command.hpp"
#include "experiments/command/progress.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/files/staged_files.hpp"
#include "experiments/files/wrote_line.hpp"

namespace skt {
namespace {

std::optional<TensorFile> opened(const std::string& path) {
  if (path.empty()) return std::nullopt;
  return std::optional<TensorFile>(std::in_place, path);
}

int run_search(const ChooseRequest& request, AttendProblem& problem, const SharedOptions& shared) {
  const SearchPlan plan = search_plan(request, Seed{shared.seed});
  ProgressMeter meter("choose --search", search_steps(problem, plan, request.redraws));
  const SearchResult result = searched(problem, plan, request.redraws, [&meter] { meter.advance(); });
  StagedFiles files(shared.out);
  files.add("choose_search.csv") << search_table(result).text();
  files.commit();
  write_provenance(shared.out, {shared.command, shared.seed, ""});
  fmt::print("{}{}", readable(result), wrote_line(shared.out, {"choose_search.csv", "provenance.json"}));
  return result.settings.empty() ? kNotAsExpected : kAsExpected;
}

int run_choose(const ChooseRequest& request, const SharedOptions& shared) {
  AttendProblem problem(request.files, Batches::merged);
  problem.check_elements();
  if (request.search) return run_search(request, problem, shared);
  const ChoosePlan plan = choose_plan(request, problem, Seed{shared.seed});
  ChooseInput input = choose_input(request, problem, opened(request.scores), opened(request.calibration));
  std::vector<MeasuredRule> measured;
  {
    ProgressMeter meter("choose", static_cast<std::uint64_t>(problem.num_queries()));
    measured = measure_rules(input, plan, [&meter] { meter.advance(); });
  }
  const Comparison comparison = compared(measured, plan.budgets, request.family_error);
  StagedFiles files(shared.out);
  files.add("choose.csv") << rules_table(comparison).text();
  files.add("choose_differences.csv") << differences_table(comparison).text();
  files.add("choose_queries.csv") << queries_table(measured, plan.budgets).text();
  files.commit();
  write_provenance(shared.out, {shared.command, shared.seed, ""});
  fmt::print("{}{}", readable(comparison),
             wrote_line(shared.out, {"choose.csv", "choose_differences.csv", "choose_queries.csv", "provenance.json"}));
  return kAsExpected;
}

constexpr const char* kFooter =
    "Query head h attends to key head h / (heads / key_heads). Sink and window keys are always selected, then the budget's "
    "best; attention over the selection is exact. MagicPIG draws its keys and weighs them itself; where its tables would "
    "hold more bits than a key, it has no row. quest has pages that read 512 bits a key, 4 keys at dim 64 and 8 at dim 128; quest-16 has pages of 16 keys, as sl.models "
    "and its authors have. "
    "docs/howto/choose.md is a worked example.\n"
    "The name socket stands for the paper's score without the value norm, socket-value for the paper's Algorithm 4. In "
    "attend they are --ranker socket --no-value-norm and --ranker socket.\n"
    "\n"
    "Writes to --out; python3 plots/choose.py OUT draws them:\n"
    "  choose.csv              ranker and budget: bits a key that scoring reads, keys selected, and over the queries "
    "mean, standard deviation and quantiles of relative_error (norm of output - dense output, over the norm of the "
    "dense output), mass (softmax mass of the selected keys) and recall (share of as many true top keys by q.k)\n"
    "  choose_differences.csv  paired differences of all rankers with simultaneous intervals, Student's, for queries "
    "taken as independent\n"
    "  choose_queries.csv      the numbers of every query\n"
    "--search writes choose_search.csv: every setting that reaches the target, with the fewest keys (found to within a "
    "tenth), the bits that are read, and whether no other setting has both fewer bits and fewer keys. Of the setting that "
    "the last lines name: the keys that all redraws take, and what is proved with these for another draw of the tables, "
    "for the measured queries. The exit code is 1 if none reaches the target.\n"
    "\n"
    "Memory: keys and values of one key head in double precision, and the indices of the rankers.";

}  // namespace

Command choose_command() {
  Command command = make_command<ChooseRequest>(
      "choose", "Says which ranker, or which settings of SOCKET, lose least on your own queries, keys and values",
      run_choose);
  command.footer = kFooter;
  return command;
}

}  // namespace skt
