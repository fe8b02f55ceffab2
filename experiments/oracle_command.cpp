// socketlab oracle QUANTITY: one exact population quantity, as one line of JSON with its error.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "estimators/population/population.hpp"
#include "experiments/command/command.hpp"
#include "experiments/command/option_text.hpp"
#include "experiments/command/scaling_option.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

const std::vector<std::string> kOfSoftScores = {"epsilon", "weight", "weight-variance", "pair-moment"};
const std::vector<UsedBy> kUses = {{"--dim", kOfSoftScores},
                                   {"--temperature", kOfSoftScores},
                                   {"--query-norm", kOfSoftScores},
                                   {"--scaling", kOfSoftScores},
                                   {"--cosine", {"angular-weight", "weight", "weight-variance"}},
                                   {"--cosine-i", {"pair-moment"}},
                                   {"--cosine-j", {"pair-moment"}},
                                   {"--cosine-ij", {"pair-moment"}}};

struct OracleRequest {
  std::string quantity;
  std::string scaling = kDefaultScaling;
  std::optional<Index> dim, planes, tables;
  std::optional<double> temperature, query_norm, cosine, cosine_i, cosine_j, cosine_ij;
  const CLI::App* sub = nullptr;
};

// The flag's value, which `quantity` cannot do without.
template <class T>
T needed(const OracleRequest& request, const std::optional<T>& flag, const char* name) {
  if (!flag) refuse("oracle {}: {} is missing", request.quantity, name);
  return *flag;
}

Cosine needed_cosine(const OracleRequest& request, const std::optional<double>& flag, const char* name) {
  const double value = needed(request, flag, name);
  if (!(std::abs(value) <= 1)) refuse("{} is {}: allowed is -1 to 1", name, value);
  return Cosine::of(value);
}

PopulationParameters parameters_of(const OracleRequest& request) {
  PopulationParameters p;
  p.scaling = scaling_named(request.scaling);
  p.dim = p.scaling == Scaling::none ? request.dim.value_or(1) : needed(request, request.dim, "--dim");
  p.planes = needed(request, request.planes, "--planes");
  p.temperature = needed(request, request.temperature, "--temperature");
  p.query_norm = needed(request, request.query_norm, "--query-norm");
  return p;
}

Estimate answer(const OracleRequest& request) {
  const std::string& quantity = request.quantity;
  if (request.tables && *request.tables < 1) refuse("--tables is {}: allowed are 1 and more", *request.tables);
  if (quantity == "angular-weight") {
    return angular_weight(needed(request, request.planes, "--planes"),
                          needed_cosine(request, request.cosine, "--cosine"));
  }
  const PopulationParameters p = parameters_of(request);
  if (quantity == "epsilon") return epsilon(p);
  if (quantity == "pair-moment") {
    return population_pair_moment(p, needed_cosine(request, request.cosine_i, "--cosine-i"),
                                  needed_cosine(request, request.cosine_j, "--cosine-j"),
                                  needed_cosine(request, request.cosine_ij, "--cosine-ij"));
  }
  const Cosine rho = needed_cosine(request, request.cosine, "--cosine");
  return quantity == "weight" ? population_weight(p, rho) : population_weight_variance(p, rho);
}

}  // namespace

void add_oracle_command(CLI::App& app, SharedOptions& shared) {
  const auto request = std::make_shared<OracleRequest>();
  const auto run = [request] {
    refuse_unused(*request->sub, "oracle", request->quantity, kUses);
    const Estimate estimate = answer(*request);
    fmt::print("{{\"value\": {:.17g}, \"error\": {:.17g}}}\n", estimate.value, estimate.error);
    return kAsExpected;
  };
  CLI::App& sub = add_subcommand(app, "oracle", "Prints one exact population quantity as {\"value\":..,\"error\":..}",
                                 shared, run, Writes::nothing);
  request->sub = &sub;
  sub.add_option("quantity", request->quantity,
                 "epsilon: expected mass outside the query's own bucket\n"
                 "angular-weight: (1 - angle/pi)^planes\n"
                 "weight: mean of one table's soft score\n"
                 "weight-variance: variance of one table's soft score\n"
                 "pair-moment: mean product of two keys' soft scores in one table")
      ->required()
      ->check(CLI::IsMember({"epsilon", "angular-weight", "weight", "weight-variance", "pair-moment"}).description(""));
  sub.add_option("--dim", request->dim, "Dimension of query and keys; not needed with --scaling none");
  sub.add_option("--planes", request->planes, "Hyperplanes to a table");
  sub.add_option("--tables", request->tables, "Accepted but not used: every quantity is for one table");
  sub.add_option("--temperature", request->temperature, "tau");
  sub.add_option("--query-norm", request->query_norm, "Euclidean norm of the query");
  sub.add_option("--cosine", request->cosine, "Cosine between key and query, for the weights");
  sub.add_option("--cosine-i", request->cosine_i, "Cosine between the first key and the query, for pair-moment");
  sub.add_option("--cosine-j", request->cosine_j, "Cosine between the second key and the query, for pair-moment");
  sub.add_option("--cosine-ij", request->cosine_ij, "Cosine between the two keys, for pair-moment");
  sub.add_option("--scaling", request->scaling, "Divisor of tanh(Wq): inverse-sqrt-dim or none")
      ->check(CLI::IsMember({"inverse-sqrt-dim", "none"}).description(""))
      ->capture_default_str();
}

}  // namespace skt
