#include "experiments/oracle_request.hpp"

#include "experiments/command/fields.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

const std::vector<std::string> kOfSoftScores = {"epsilon", "weight", "weight-variance", "pair-moment"};

// The flag's value, which `quantity` cannot do without.
template <class T>
T needed(const OracleRequest& request, const std::optional<T>& flag, const char* name) {
  if (!flag) refuse("oracle {}: {} is missing", request.quantity, name);
  return *flag;
}

PopulationParameters parameters_of(const OracleRequest& request) {
  PopulationParameters p;
  p.scaling = request.scaling;
  p.dim = p.scaling == Scaling::none ? request.dim.value_or(1) : needed(request, request.dim, "--dim");
  p.planes = needed(request, request.planes, "--planes");
  p.temperature = needed(request, request.temperature, "--temperature");
  p.query_norm = needed(request, request.query_norm, "--query-norm");
  return p;
}

}  // namespace

void add_fields(Fields& fields, OracleRequest& r) {
  constexpr double kLeast = 1e-150, kMost = 1e150;  // where the quadrature's doubles end
  fields
      .add("quantity", &r.quantity,
           "epsilon: expected mass outside the query's own bucket\n"
           "angular-weight: (1 - angle/pi)^planes\n"
           "weight: mean of one table's soft score\n"
           "weight-variance: variance of one table's soft score\n"
           "pair-moment: mean product of two keys' soft scores in one table")
      .of({"epsilon", "angular-weight", "weight", "weight-variance", "pair-moment"})
      .stands_alone();
  fields.add("dim", &r.dim, "Dimension of query and keys; not needed with --scaling none")
      .from(1)
      .used_with("quantity", kOfSoftScores);
  fields.add("planes", &r.planes, "Hyperplanes to a table").from(1);
  fields.add("tables", &r.tables, "Accepted but not used: every quantity is for one table").from(1);
  fields.add("temperature", &r.temperature, "tau").from(kLeast, kMost).used_with("quantity", kOfSoftScores);
  fields.add("query-norm", &r.query_norm, "Euclidean norm of the query")
      .from(kLeast, kMost)
      .used_with("quantity", kOfSoftScores);
  fields.add("cosine", &r.cosine, "Cosine between key and query, for the weights")
      .from(-1, 1)
      .used_with("quantity", {"angular-weight", "weight", "weight-variance"});
  fields.add("cosine-i", &r.cosine_i, "Cosine between the first key and the query, for pair-moment")
      .from(-1, 1)
      .used_with("quantity", {"pair-moment"});
  fields.add("cosine-j", &r.cosine_j, "Cosine between the second key and the query, for pair-moment")
      .from(-1, 1)
      .used_with("quantity", {"pair-moment"});
  fields.add("cosine-ij", &r.cosine_ij, "Cosine between the two keys, for pair-moment")
      .from(-1, 1)
      .used_with("quantity", {"pair-moment"});
  fields.add("scaling", r.scaling, kScalings, "Divisor of tanh(Wq)").used_with("quantity", kOfSoftScores);
}

Estimate answer(const OracleRequest& request) {
  const std::string& quantity = request.quantity;
  const auto cosine = [&](const std::optional<double>& flag, const char* name) {
    return Cosine::of(needed(request, flag, name));
  };
  if (quantity == "angular-weight")
    return angular_weight(needed(request, request.planes, "--planes"), cosine(request.cosine, "--cosine"));
  const PopulationParameters p = parameters_of(request);
  if (quantity == "epsilon") return epsilon(p);
  if (quantity == "pair-moment")
    return population_pair_moment(p, cosine(request.cosine_i, "--cosine-i"), cosine(request.cosine_j, "--cosine-j"),
                                  cosine(request.cosine_ij, "--cosine-ij"));
  const Cosine rho = cosine(request.cosine, "--cosine");
  return quantity == "weight" ? population_weight(p, rho) : population_weight_variance(p, rho);
}

}  // namespace skt
