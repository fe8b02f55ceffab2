// socketlab choose: which rule, or which settings of SOCKET, lose least on the user's own queries, keys and values?
#include <fmt/format.h>

#include "experiments/choose/choose.hpp"
#include "experiments/command/command.hpp"
#include "experiments/command/progress.hpp"
#include "experiments/command/provenance.hpp"

namespace skt {
namespace {

int run_choose(const ChooseRequest& request, const SharedOptions& shared) {
  AttendProblem problem(request.files, Batches::merged);
  problem.check_elements();
  Chosen made;
  {
    std::optional<ProgressMeter> meter;
    made = chosen(
        request, problem, Seed{shared.seed}, [&](std::uint64_t steps) { meter.emplace("choose", steps); },
        [&] { meter->advance(); });
  }
  FileTexts files;
  for (const auto& [name, table] : made.tables) files.emplace_back(name + ".csv", table.text());
  const std::string wrote = write_results(shared.out, files, {shared.command, shared.seed, ""});
  fmt::print("{}{}", made.text, wrote);
  return made.found ? kAsExpected : kNotAsExpected;
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
    "  choose_queries.csv      the numbers of every query, counted from 0 head after head\n"
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
