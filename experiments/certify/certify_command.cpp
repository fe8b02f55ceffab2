// socketlab certify: what can be guaranteed for the user's own queries, keys and values?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/certify/certify_queries.hpp"
#include "experiments/certify/certify_request.hpp"
#include "experiments/command/command.hpp"
#include "experiments/command/messages.hpp"
#include "experiments/command/progress.hpp"
#include "experiments/parts/run_parts.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

constexpr std::size_t kQueriesTold = 3;

int run_certify_command(const Job<CertifyRequest>& request, const SharedOptions& shared) {
  const TimeBudget time = time_budget(request.time_limit);
  AttendProblem problem(request.files);
  const Seed seed{shared.seed};
  const Hyperplanes hyperplanes = problem.hyperplanes(request.tables, request.planes, seed);
  const CertifyPlan plan = request.plan_for(problem, hyperplanes);
  problem.check_elements();
  LoadedGroups groups(problem, plan);

  const RunFacts facts{shared.command, shared.seed, ""};
  RunFacts of_journal = facts;  // the names of files in the command do not say what is in them
  if (plan.redraws > 0) of_journal.command += " with arrays " + hash_of_arrays(problem);
  const auto parts = [&](const WorkSeen& seen) { return redraw_parts(groups, seed, seen); };
  const auto drawn_again = run_parts(parts, of_journal, request.how, shared);
  if (!drawn_again) return kAsExpected;
  const RedrawsOfGroups redraws = assemble_redraws(groups, *drawn_again);
  std::vector<QueryCertificate> results;
  {
    const double expected = expected_seconds(groups), left = time.limit - time.seconds();
    say("certify: {} queries of {} keys take about {}{}\n", plan.queries, problem.num_keys(), duration_text(expected),
        std::isinf(time.limit) ? "; --time-limit SECONDS certifies as many as fit"
        : expected > left
            ? fmt::format("; as many as the --time-limit of {} allows are certified", duration_text(time.limit))
            : "");
    ProgressMeter meter("certify", static_cast<std::uint64_t>(real(certify_work(groups)) *
                                                              std::min(1.0, std::max(1.0, left) / expected)));
    const auto done = [&](std::uint64_t work) { meter.advance(work); };
    results = certify_queries(groups, hyperplanes, seed, redraws, done, time);
  }
  const double seconds = time.seconds();
  const std::string wrote =
      write_results_of_parts(shared,
                             {{"certificate.csv", certificate_table(plan, results).text()},
                              {"certificate.json", certificate_json(plan, results).dump(1) + "\n"}},
                             facts);
  fmt::print("{}", summary(plan, results, seconds));
  const std::size_t told = results.size() == 1 ? 1 : std::min(results.size(), kQueriesTold);
  for (std::size_t i = 0; i < told && results.size() > 1; ++i) fmt::print("{}", readable(plan, results[i]));
  if (told < results.size()) fmt::print("more queries, in certificate.csv: {}\n", results.size() - told);
  fmt::print("{}", wrote);
  return kAsExpected;
}

constexpr const char* kFooter =
    "Each number of the output has one of these bases:\n"
    "  measured    exact error of the drawn tables on the query\n"
    "  certified   proved for the drawn tables, from them, the values and exact moments\n"
    "  expected    proved for another draw of the tables\n"
    "  redrawn     proved on average over the redraws (Theorem 5)\n"
    "  estimated, predicted   no guarantee\n"
    "  printed     the paper's bounds (Lemmas 9 to 11, Theorem 3), with the constants of this problem; B is the "
    "number of keys in the fullest bucket (Assumption 2)\n"
    "missed-mass is the softmax mass (sum of dense attention's weights) of the keys not selected, missed-top the "
    "share of the true top keys by q.k that are not selected. The selection of top-m and of these two is SOCKET's times "
    "the value norm (socket-value in choose), without sink and window.\n"
    "docs/bounds.md has the theorems and their proofs. A bound holds for one query. If queries share the tables, as "
    "in decoding, the expected share of them outside is at most delta. Rows \"all n queries\" hold for all queries "
    "at once.\n"
    "\n"
    "Memory: keys and values of one key head in double precision, and 1,600 bytes per key. Writes to --out: "
    "certificate.csv, certificate.json, provenance.json;\n"
    "python3 plots/certificate.py OUT draws them.";

}  // namespace

Command certify_command() {
  Command command = make_command<Job<CertifyRequest>>(
      "certify", "Proves error bounds for your own queries, keys and values", run_certify_command);
  command.footer = kFooter;
  return command;
}

}  // namespace skt
