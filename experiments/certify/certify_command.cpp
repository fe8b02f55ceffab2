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
  sub.add_option("--keys", files.keys, "k.npy [keys, dim] or [key_heads, keys, dim], likewise")->required();
  sub.add_option("--values", files.values, "v.npy [keys, value_dim] or [key_heads, keys, value_dim]")->required();
  sub.add_option("--hyperplanes", files.hyperplanes,
                 "w.npy [tables, planes, dim]; the promises hold if they\n"
                 "were drawn from N(0,1), independently of the rest;\n"
                 "left out: drawn from --seed");
  sub.add_option("--mask", files.mask,
                 "m.npy [keys], [queries, keys] or [heads, queries, keys]: bool,\n"
                 "or floating point as added to logits: 0 and more allow a key");
}

void add_setting(CLI::App& sub, CertifyRequest& r) {
  sub.add_option("--tables", r.tables, fmt::format("Tables L [{}]", kCertifyTables));
  sub.add_option("--planes", r.planes, fmt::format("Planes P to a table, 1 to {} [{}]", kMaxPlanes, kCertifyPlanes));
  sub.add_option("--temperature", r.temperature, "Temperature tau, above 0")->capture_default_str();
  sub.add_option("--scaling", r.scaling, "Divisor of tanh(Wq)")
      ->check(CLI::IsMember({"inverse-sqrt-dim", "none"}))
      ->capture_default_str();
  sub.add_option("--budget", r.budget,
                 "Keys M that exact attention sees: a count, or with a decimal\n"
                 "point a fraction of the keys")
      ->capture_default_str();
  sub.add_option("--samples", r.samples, "Samples M of the estimator T, likewise [as --budget]");
}

void add_certainty(CLI::App& sub, CertifyRequest& r) {
  sub.add_option("--delta", r.plan.delta, "Probability that a bound is exceeded, above 0 and below 1")
      ->capture_default_str();
  sub.add_option("--target-error", r.target,
                 "Wanted error in the unit of the values: the smallest L and M\n"
                 "that reach it but with probability delta");
  sub.add_option("--pairs", r.pairs,
                 "exact: the moments of a table over all pairs of keys, which\n"
                 "every proved bound on the tables needs, O(keys^2);\n"
                 "none: sampling, selection, redraws and estimates only")
      ->check(CLI::IsMember({"exact", "none"}))
      ->capture_default_str();
  sub.add_option("--redraws", r.plan.redraws,
                 "Redraws of all tables, for Theorem 5: 1/delta - 1 and more;\n"
                 "0: none")
      ->check(whole_numbers(0, kMostTrials))
      ->capture_default_str();
  sub.add_option("--fresh-tables", r.plan.fresh_tables,
                 "Single tables drawn beforehand, for Corollary 4(ii), some\n"
                 "10 L/delta; 0: none")
      ->check(whole_numbers(0, kMostTrials))
      ->capture_default_str();
}

constexpr const char* kFooter =
    "measured    what these tables make of the query, exactly\n"
    "certified   proved: from the drawn tables, the values and exact moments\n"
    "expected    proved: what another draw of the tables will keep\n"
    "redrawn     proved on average over the redraws (Theorem 5)\n"
    "estimated, predicted   no guarantee\n"
    "printed     the paper's bounds (Lemmas 9 to 11, Theorem 3), at the constants of this problem;\n"
    "            B is the most keys of one bucket (Assumption 2)\n"
    "missed-mass is the sum of dense attention's weights on the keys that the selection leaves out;\n"
    "missed-top the share of the keys of largest q.k that it leaves out.\n"
    "docs/bounds.md has the theorems and their proofs. A bound is for one query, and of a decode whose\n"
    "queries share the tables the expected share outside is at most delta; rows \"all n queries\" hold\n"
    "for every query at once.\n"
    "\n"
    "Memory: keys and values of one key head in double precision, and 8 bytes x 200 to a key.\n"
    "Writes to --out: certificate.csv, certificate.json, provenance.json;\n"
    "python3 plots/certificate.py OUT draws them.";

}  // namespace

void add_certify_command(CLI::App& app, SharedOptions& shared) {
  const auto request = std::make_shared<CertifyRequest>();
  CLI::App& sub = add_subcommand(app, "certify", "Proved error bounds for your own queries, keys and values", shared,
                                 [request, &shared] { return run(*request, shared); });
  request->sub = &sub;
  add_files(sub, request->files);
  add_setting(sub, *request);
  add_certainty(sub, *request);
  add_parts_options(sub, request->how);
  sub.footer(kFooter);
}

}  // namespace skt
