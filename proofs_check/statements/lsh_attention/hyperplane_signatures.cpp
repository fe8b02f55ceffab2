#include <Eigen/LU>

#include <bit>
#include <set>

#include "estimators/peers/lsh_attention.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::hyperplane_signatures_group {

extern const StatementGroup kGroup = {
    .question = "Which signatures do several hyperplanes realise (document 003, sections 1 and 2)?",
    .method =
        "Every cell of an arrangement enumerated through its rays; random tokens against that list; the document's "
        "example.",
    .power = "Exact."};

namespace {

// Every signature that some x realises: a cell of planes in general position touches a ray on which dim - 1 of them
// vanish, where these take every combination of signs and the others keep theirs.
std::set<std::uint32_t> realised(const Hyperplanes& planes) {
  const Index count = planes.planes, zeros = planes.dim - 1;
  std::set<std::uint32_t> codes;
  for (std::uint32_t subset = 0; subset < (1u << count); ++subset) {
    if (std::popcount(subset) != zeros) continue;
    Eigen::MatrixXd rows(zeros, planes.dim);
    for (Index p = 0, row = 0; p < count; ++p) {
      if (subset >> p & 1u) rows.row(row++) = planes.rows.row(p);
    }
    const Vector ray = rows.fullPivLu().kernel().col(0);
    for (std::uint32_t combination = subset;; combination = (combination - 1) & subset) {
      for (const double side : {1.0, -1.0}) {
        std::uint32_t code = 0;
        for (Index p = 0; p < count; ++p) {
          const bool zero = (subset >> p & 1u) != 0;
          const bool positive = zero ? (combination >> p & 1u) != 0 : side * planes.rows.row(p).dot(ray) >= 0;
          code = code << 1 | (positive ? 1u : 0u);
        }
        codes.insert(code);
      }
      if (combination == 0) break;
    }
  }
  return codes;
}

std::vector<Evidence> signature_count(const Context& context,
                                      const std::function<double(Index planes, Index dim)>& count) {
  std::vector<Evidence> evidence;
  double outside = 0;
  for (const auto& [planes, dim] : {std::pair<Index, Index>{8, 5}, {5, 2}, {6, 3}, {6, 4}, {4, 4}, {6, 6}}) {
    const Hyperplanes drawn = context.estimators.draw(context.seed, 0, 1, planes, dim);
    const std::set<std::uint32_t> cells = realised(drawn);
    evidence.push_back(exact({fmt::format("L={} Gaussian planes in d={}", planes, dim), "realisable signatures"},
                             real(cells.size()), equals(count(planes, dim))));
    Matrix tokens(1000, dim);
    fill_normal(context.seed, {.role = Role::key}, std::span(tokens.data(), tokens.size()));
    for (const std::uint32_t code : context.estimators.hash(drawn, tokens).codes)
      outside += cells.contains(code) ? 0 : 1;
  }
  evidence.push_back(exact({"1000 Gaussian tokens each", "tokens with another signature"}, outside, equals(0)));
  return evidence;
}

// S003-2.
std::vector<Evidence> example(const Context& context, double sign, const std::vector<std::uint32_t>& printed) {
  Matrix tokens(3, 3);
  tokens << 1, 1, -1, 1, 1, -1, -1, 1, 1;
  tokens *= sign;
  const KeyCodes codes = context.estimators.hash({1, 3, 3, Matrix::Identity(3, 3)}, tokens);
  std::vector<Evidence> evidence;
  for (std::size_t j = 0; j < 3; ++j) {
    evidence.push_back(
        exact({fmt::format("token x_{} of the example", j + 1), "bucket"}, codes.codes[j], equals(printed[j])));
  }
  return evidence;
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S003-1",
       .title = "Planes in general position realise 2 sum_{i<d} C(L-1, i) signatures, at most 2^L",
       .source = "document 003, section 1, which prints 2^L",
       .scope = "general position, which Gaussian planes have with probability 1",
       .measure =
           [](const Context& c) {
             return signature_count(c, [](Index l, Index d) { return real(realisable_signatures(l, d)); });
           },
       .mutants = {{"one of them and its opposite are not realised",
                    [](const Context& c) {
                      return signature_count(c, [](Index l, Index d) { return real(realisable_signatures(l, d)) - 2; });
                    }},
                   {"2^L",
                    [](const Context& c) {
                      return signature_count(c, [](Index l, Index) { return std::exp2(real(l)); });
                    }},
                   {"one dimension more",
                    [](const Context& c) {
                      return signature_count(c, [](Index l, Index d) { return real(realisable_signatures(l, d + 1)); });
                    }}}},
      {.id = "S003-2",
       .title = "The example's signatures are 110, 110 and 011",
       .source = "document 003, section 2",
       .quote = "Token x_3: signature = (-1, +1, +1) -> bucket \"011\"",
       .scope = "bit 1 for +1, first plane first",
       .measure = [](const Context& c) { return example(c, 1, {0b110, 0b110, 0b011}); },
       .mutants = {{"read from the right", [](const Context& c) { return example(c, 1, {0b011, 0b011, 0b110}); }},
                   {"signs exchanged", [](const Context& c) { return example(c, -1, {0b110, 0b110, 0b011}); }}},
       .no_near_mutant = "A bucket's name is that of the example or a different one; nothing lies between."}};
}

}  // namespace skt::hyperplane_signatures_group
