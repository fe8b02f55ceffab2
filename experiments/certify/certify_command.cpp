// socketlab certify: what can be guaranteed for the user's own queries, keys and values?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "experiments/attend/problem.hpp"
#include "experiments/attend/variants.hpp"
#include "experiments/certify/certify_queries.hpp"
#include "experiments/command/option_text.hpp"
#include "experiments/command/progress.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/command/scaling_option.hpp"
#include "experiments/files/staged_files.hpp"
#include "experiments/files/wrote_line.hpp"
#include "experiments/parts/journal.hpp"
#include "experiments/parts/run_parts.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// As typed; what is empty takes the default of Table 6 or follows from the rest.
struct CertifyRequest {
  AttendFiles files;
  std::optional<Index> tables, planes;
  std::string budget = "0.1", samples, scaling = kDefaultScaling, pairs = "exact";
  double temperature = 0.5;
  std::optional<double> target;
  CertifyPlan plan;
  PartsOptions how;
  const CLI::App* sub = nullptr;
};

CertifyPlan plan_of(const CertifyRequest& request, AttendProblem& problem) {
  CertifyPlan plan = request.plan;
  Setting& setting = plan.setting;
  setting.temperature = request.temperature;
  setting.scaling = scaling_named(request.scaling);
  setting.budget = budget_of(request.budget, problem.num_keys());
  setting.samples =
      request.samples.empty() ? setting.budget : budget_of(request.samples, problem.num_keys(), "--samples");
  plan.target = request.target;
  plan.pairs = request.pairs == "none" ? Pairs::none : Pairs::exact;
  plan.queries = problem.num_queries();
  return plan;
}

int run(const CertifyRequest& request, const SharedOptions& shared) {
  AttendProblem problem(request.files);
  CertifyPlan plan = plan_of(request, problem);
  const Seed seed{shared.seed};
  const Hyperplanes hyperplanes = problem.has_hyperplanes()
                                      ? problem.hyperplanes(request.tables, request.planes)
                                      : draw_hyperplanes(seed, 0, request.tables.value_or(kCertifyTables),
                                                         request.planes.value_or(kCertifyPlanes), problem.dim());
  plan.setting.tables = hyperplanes.tables;
  plan.setting.planes = hyperplanes.planes;
  check(plan);
  problem.check_elements();
  LoadedGroups groups(problem, plan);

  StagedFiles files(shared.out);
  const RunFacts facts{command_text(*request.sub, shared), shared.seed, ""};
  RunFacts of_journal = facts;  // the names of files in the command do not say what is in them
  if (plan.redraws > 0) of_journal.command += " with arrays " + hash_of_arrays(problem);
  const auto parts = [&](const WorkSeen& seen) { return redraw_parts(groups, seed, seen); };
  const auto drawn_again = run_parts(parts, of_journal, request.how, shared);
  if (!drawn_again) return kAsExpected;
  const RedrawsOfGroups redraws = assemble_redraws(groups, *drawn_again);
  std::vector<QueryCertificate> results;
  {
    ProgressMeter meter("certify", certify_work(groups));
    results = certify_queries(groups, hyperplanes, seed, redraws, [&](std::uint64_t work) { meter.advance(work); });
  }
  files.add("certificate.csv") << certificate_table(plan, results).text();
  files.add("certificate.json") << certificate_json(plan, results).dump(1) << '\n';
  files.add("provenance.json") << provenance_json(facts);
  files.commit();
  remove_journals(shared.out);
  for (const QueryCertificate& result : results) fmt::print("{}", readable(plan, result));
  fmt::print("{}", wrote_line(shared.out, {"certificate.csv", "certificate.json", "provenance.json"}));
  return kAsExpected;
}

// In these descriptions a line of the source is a line of --help.
void add_files(CLI::App& sub, AttendFiles& files) {
  sub.add_option("--queries", files.queries,
                 "q.npy or FILE.safetensors[:NAME], [queries, dim] or\n"
                 "[heads, queries, dim]; float16, bfloat16, float32, float64")
      ->required();
  sub.add_option("--keys", files.keys, "k.npy [keys, dim] or [key_heads, keys, dim]; types as --queries")->required();
  sub.add_option("--values", files.values, "v.npy [keys, value_dim] or [key_heads, keys, value_dim]")->required();
  sub.add_option("--hyperplanes", files.hyperplanes,
                 "w.npy [tables, planes, dim]; the bounds hold if these were\n"
                 "drawn from N(0,1), independently of all other inputs;\n"
                 "by default drawn from --seed");
  sub.add_option("--mask", files.mask,
                 "m.npy [keys], [queries, keys] or [heads, queries, keys]: bool,\n"
                 "or floating point to be added to the logits, where 0 or more\n"
                 "allows a key");
}

void add_setting(CLI::App& sub, CertifyRequest& r) {
  sub.add_option("--tables", r.tables, fmt::format("Tables L [{}]", kCertifyTables));
  sub.add_option("--planes", r.planes, fmt::format("Planes P per table, 1 to {} [{}]", kMaxPlanes, kCertifyPlanes));
  sub.add_option("--temperature", r.temperature, "Temperature tau, above 0")->capture_default_str();
  sub.add_option("--scaling", r.scaling, "Divisor of tanh(Wq)")
      ->check(CLI::IsMember({"inverse-sqrt-dim", "none"}))
      ->capture_default_str();
  sub.add_option("--budget", r.budget,
                 "Keys M that exact attention sees: a count, or with a decimal\n"
                 "point a fraction of the keys")
      ->capture_default_str();
  sub.add_option("--samples", r.samples, "Samples M of the estimator T, given like --budget [--budget]");
}

void add_certainty(CLI::App& sub, CertifyRequest& r) {
  sub.add_option("--delta", r.plan.delta, "Probability that a bound is exceeded, above 0 and below 1")
      ->capture_default_str();
  sub.add_option("--target-error", r.target,
                 "Target error, in the unit of the values: reports the smallest\n"
                 "L and M that reach it except with probability delta");
  sub.add_option("--pairs", r.pairs,
                 "exact: moments of a table over all pairs of keys, O(keys^2),\n"
                 "which every proved bound on the tables needs;\n"
                 "none: only sampling, selection, redraws and estimates")
      ->check(CLI::IsMember({"exact", "none"}))
      ->capture_default_str();
  sub.add_option("--redraws", r.plan.redraws,
                 "Redraws of all tables, for Theorem 5: at least 1/delta - 1;\n"
                 "0: none")
      ->check(whole_numbers(0, kMostTrials))
      ->capture_default_str();
  sub.add_option("--fresh-tables", r.plan.fresh_tables,
                 "Single tables drawn in addition, for Corollary 4(ii): about\n"
                 "10 L/delta; 0: none")
      ->check(whole_numbers(0, kMostTrials))
      ->capture_default_str();
}

constexpr const char* kFooter =
    "Each number of the output has one of these bases:\n"
    "  measured    exact error of the drawn tables on the query\n"
    "  certified   proved for the drawn tables, from them, the values and exact moments\n"
    "  expected    proved for another draw of the tables\n"
    "  redrawn     proved on average over the redraws (Theorem 5)\n"
    "  estimated, predicted   no guarantee\n"
    "  printed     the paper's bounds (Lemmas 9 to 11, Theorem 3), with the constants of this problem;\n"
    "              B is the number of keys in the fullest bucket (Assumption 2)\n"
    "missed-mass is the softmax mass (sum of dense attention's weights) of the keys not selected,\n"
    "missed-top the share of the true top keys by q.k that are not selected.\n"
    "docs/bounds.md has the theorems and their proofs. A bound holds for one query. If queries share the\n"
    "tables, as in decoding, the expected share of them outside is at most delta. Rows \"all n queries\"\n"
    "hold for all queries at once.\n"
    "\n"
    "Memory: keys and values of one key head in double precision, and 1,600 bytes per key.\n"
    "Writes to --out: certificate.csv, certificate.json, provenance.json;\n"
    "python3 plots/certificate.py OUT draws them.";

}  // namespace

void add_certify_command(CLI::App& app, SharedOptions& shared) {
  const auto request = std::make_shared<CertifyRequest>();
  CLI::App& sub = add_subcommand(app, "certify", "Proves error bounds for your own queries, keys and values", shared,
                                 [request, &shared] { return run(*request, shared); });
  request->sub = &sub;
  add_files(sub, request->files);
  add_setting(sub, *request);
  add_certainty(sub, *request);
  add_parts_options(sub, request->how);
  sub.footer(kFooter);
}

}  // namespace skt
