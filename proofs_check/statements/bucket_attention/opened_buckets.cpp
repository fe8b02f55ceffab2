#include <bit>
#include <set>

#include "estimators/peers/bucket_attention.hpp"
#include "estimators/soft_buckets.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "sim/stop.hpp"

namespace skt::opened_buckets_group {

extern const StatementGroup kGroup = {
    .question = "Which buckets does Bucket Attention open (document 001, sections 3 and 5.1)?",
    .method = "The sets of two rules compared over Gaussian projections, and one case worked by hand.",
    .power = "Exact; a rule that opens another bucket in one draw of two thousand is refuted.",
    .scope = "projections without ties"};

namespace {

using Codes = std::vector<std::uint32_t>;

std::vector<double> tanh_of(std::vector<double> z) {
  for (double& x : z) x = std::tanh(x);
  return z;
}

std::set<std::uint32_t> opened(const std::vector<double>& signal, std::int64_t top) {
  const Codes codes = top_buckets(signal, top);
  return {codes.begin(), codes.end()};
}

// The `top` corners of largest probability by the softmax at one temperature.
std::set<std::uint32_t> most_probable(const std::vector<double>& signal, std::int64_t top, double temperature) {
  const std::vector<double> p = bucket_probabilities_softmax(signal, temperature);
  Codes order(p.size());
  for (std::uint32_t r = 0; r < p.size(); ++r) order[r] = r;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return p[a] > p[b]; });
  return {order.begin(), order.begin() + top};
}

// In how many of the draws do two rules open different sets?
using OpenRule = std::function<std::set<std::uint32_t>(const std::vector<double>& z, std::int64_t top)>;

double differing(const Context& context, std::int64_t top, const OpenRule& a, const OpenRule& b) {
  double count = 0;
  const auto trials = static_cast<std::uint32_t>(context.trials(2000));
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    look_for_stop();
    std::vector<double> z(4);
    fill_normal(context.seed, {.role = Role::test_draw, .trial = trial}, z);
    if (a(z, top) != b(z, top)) ++count;
  }
  return count;
}

std::set<std::uint32_t> by_tanh(const std::vector<double>& z, std::int64_t top) {
  return opened(tanh_of(z), top);
}
std::set<std::uint32_t> by_projection(const std::vector<double>& z, std::int64_t top) {
  return opened(z, top);
}

// The codes nearest to the own one in Hamming distance, ties to the lower code.
std::set<std::uint32_t> hamming_ball(const std::vector<double>& z, std::int64_t top) {
  const std::uint32_t own = encode_bits(z);
  Codes order(std::size_t{1} << z.size());
  for (std::uint32_t r = 0; r < order.size(); ++r) order[r] = r;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return std::popcount(a ^ own) < std::popcount(b ^ own); });
  return {order.begin(), order.begin() + top};
}

std::set<std::uint32_t> weakest_flips(const std::vector<double>& z, std::int64_t top) {
  std::vector<std::size_t> planes(z.size());
  for (std::size_t p = 0; p < planes.size(); ++p) planes[p] = p;
  std::sort(planes.begin(), planes.end(),
            [&](std::size_t a, std::size_t b) { return std::abs(z[a]) < std::abs(z[b]); });
  const std::uint32_t own = encode_bits(z);
  std::set<std::uint32_t> set{own};
  for (std::int64_t flip = 0; flip + 1 < top; ++flip) {
    set.insert(own ^ (1u << (z.size() - 1 - planes[flip])));
  }
  return set;
}

constexpr const char* kDraws = "Gaussian projections, P=4";
constexpr const char* kYesOrNo = "Two sets of buckets are equal or not; nothing lies between.";

std::vector<Evidence> temperature_free(const Context& context, Relation relation) {
  std::vector<Evidence> evidence;
  for (const double temperature : {0.01, 1.0, 100.0}) {
    const OpenRule softmax_rule = [=](const std::vector<double>& z, std::int64_t top) {
      return most_probable(tanh_of(z), top, temperature);
    };
    double count = 0;
    for (const std::int64_t top : {1, 4, 8}) count += differing(context, top, by_tanh, softmax_rule);
    evidence.push_back(
        exact({kDraws, fmt::format("draws where tau = {} opens other buckets, t = 1, 4, 8", temperature)}, count,
              {relation, relation == Relation::equal ? 0.0 : 1.0, 0}));
  }
  return evidence;
}

std::vector<Evidence> nonlinearity_free(const Context& context, std::int64_t most) {
  std::vector<Evidence> evidence;
  for (std::int64_t top = 1; top <= most; ++top) {
    evidence.push_back(exact({kDraws, fmt::format("draws where tanh and identity open other buckets, t = {}", top)},
                             differing(context, top, by_tanh, by_projection), equals(0)));
  }
  return evidence;
}

std::vector<Evidence> first_three(const Context& context, const OpenRule& rule) {
  std::vector<Evidence> evidence = nonlinearity_free(context, 3);
  for (std::int64_t top = 1; top <= 3; ++top) {
    evidence.push_back(exact({kDraws, fmt::format("draws where another set is opened than claimed, t = {}", top)},
                             differing(context, top, by_tanh, rule), equals(0)));
  }
  // Costs by projection 1.1 (both flips) < 1.2, by tanh .999 > .834 (the third flip).
  const std::vector<double> z{0.5, 0.6, 1.2};
  evidence.push_back(
      exact({"|z| = (.5, .6, 1.2)", "fourth bucket by projection"}, real(by_projection(z, 4).count(0b001)), equals(1)));
  evidence.push_back(
      exact({"|z| = (.5, .6, 1.2)", "fourth bucket by tanh"}, real(by_tanh(z, 4).count(0b110)), equals(1)));
  return evidence;
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S001-1",
           .title = "The opened buckets are the same at every temperature",
           .source = "derived; document 001, section 3, prints no temperature",
           .measure = [](const Context& c) { return temperature_free(c, Relation::equal); },
           .mutants = {{"they depend on the temperature",
                        [](const Context& c) { return temperature_free(c, Relation::at_least); }},
                       {"nor do they depend on the nonlinearity",
                        [](const Context& c) { return nonlinearity_free(c, 8); }}},
           .no_near_mutant = kYesOrNo},
          {.id = "S001-2",
           .title = "The first three buckets are the query's own and the flips of its two weakest planes",
           .source = "derived from document 001, section 5.1",
           .measure = [](const Context& c) { return first_three(c, weakest_flips); },
           .mutants = {{"a Hamming ball", [](const Context& c) { return first_three(c, hamming_ball); }},
                       {"four buckets whatever the nonlinearity",
                        [](const Context& c) { return nonlinearity_free(c, 4); }}},
           .no_near_mutant = kYesOrNo}};
}

}  // namespace skt::opened_buckets_group
