#include "estimators/selection.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::document_selection_group {

extern const StatementGroup kGroup = {
    .question = "Which keys does document 000 attend, and what does its configuration cost (sections 6 and 7)?",
    .notes = R"(S000-6   min(M, allowed) keys are selected; of equal scores the lower index
S000-9   12 planes times 60 tables; 128 + 128 + 0.2 N keys are attended)",
    .method = "Cases worked by hand and random masks against the definition.",
    .power = "Exact; a wrong norm, size or member is refuted on one case."};

namespace {

// S000-5: `norms` of the value rows.
using RowNorms = std::function<Vector(const Matrix&)>;

std::vector<Evidence> value_norm(const RowNorms& norms) {
  Matrix values(3, 2);
  values << 3, 4, 0, 0, -1, 2;
  Matrix rotation(2, 2);  // by the angle with cosine 3/5
  rotation << 0.6, -0.8, 0.8, 0.6;
  const Vector counts = (Vector(3) << 2, 5, 1).finished();
  const Vector score = counts.cwiseProduct(norms(values));
  const Vector doubled = counts.cwiseProduct(norms(2 * values));
  const Vector turned = counts.cwiseProduct(norms(values * rotation));
  return {exact({"value (3, 4), count 2", "score"}, score(0), equals(10)),
          exact({"value 0, count 5", "score"}, score(1), equals(0)),
          exact({"values doubled", "factor of the score"}, doubled(2) / score(2), equals(2, 4 * kUnit)),
          exact({"values turned", "largest change of a score"}, (turned - score).lpNorm<Eigen::Infinity>(),
                equals(0, 16 * kUnit * score.maxCoeff()))};
}

// S000-6: the properties that define the selection; the document leaves the order of ties open, the convention here is
// the lower index.
using Select = std::function<std::vector<Index>(const Vector&, const std::vector<Allowed>&, Index budget)>;

std::vector<Evidence> masked_selection(const Context& context, const Select& select) {
  double wrong_size = 0, forbidden = 0, better_left = 0, earlier_left = 0;
  for (std::uint64_t trial = 0; trial < context.trials(2000); ++trial) {
    constexpr Index kKeys = 12;
    std::vector<double> u(2 * kKeys + 1);
    fill_uniform(context.seed, {Role::test_draw, static_cast<std::uint32_t>(trial), 0, 0, 0}, u);
    Vector scores(kKeys);
    std::vector<Allowed> mask(kKeys);
    for (Index j = 0; j < kKeys; ++j) {
      scores(j) = std::floor(4 * u[j]);  // ties are common
      mask[j] = u[kKeys + j] < 0.5 ? Allowed::yes : Allowed::no;
    }
    const auto budget = static_cast<Index>(u.back() * (kKeys + 1));
    const std::vector<Index> chosen = select(scores, mask, budget);
    const Index allowed = std::count(mask.begin(), mask.end(), Allowed::yes);
    if (std::ssize(chosen) != std::min(budget, allowed)) ++wrong_size;
    double least = std::numeric_limits<double>::infinity();
    for (const Index j : chosen) {
      if (mask[j] == Allowed::no) ++forbidden;
      least = std::min(least, scores(j));
    }
    for (Index j = 0; j < kKeys; ++j) {
      const bool left = mask[j] == Allowed::yes && std::count(chosen.begin(), chosen.end(), j) == 0;
      if (left && scores(j) > least) ++better_left;
      const bool tied_behind =
          std::any_of(chosen.begin(), chosen.end(), [&](Index c) { return c > j && scores(c) == scores(j); });
      if (left && tied_behind) ++earlier_left;
    }
  }
  const std::string instance = "12 keys with tied scores, random masks and budgets";
  return {exact({instance, "selections of another size than min(M, allowed)"}, wrong_size, equals(0)),
          exact({instance, "forbidden keys selected"}, forbidden, equals(0)),
          exact({instance, "allowed keys left out that score higher than a selected one"}, better_left, equals(0)),
          exact({instance, "allowed keys left out before a selected one of equal score"}, earlier_left, equals(0))};
}

std::vector<Index> mask_after_choice(const Vector& scores, const std::vector<Allowed>& mask, Index budget) {
  std::vector<Index> chosen = select_keys(scores, {}, {budget, 0, 0});
  std::erase_if(chosen, [&](Index j) { return mask[j] == Allowed::no; });
  return chosen;
}

// S000-9.
std::vector<Evidence> configuration(double bits, double attended) {
  constexpr Index kPlanes = 12, kTables = 60, kTokens = 32000, kHeavy = kTokens / 5;
  const KeyCodes codes{kTables, kPlanes, 1, std::vector<std::uint32_t>(kTables)};
  Vector scores(kTokens);  // the best ones lie in the sink and the window, which the budget must not count
  for (Index j = 0; j < kTokens; ++j) scores(j) = std::abs(real(2 * j - kTokens));
  return {exact({"K=12, L=60", "bits a key"}, real(codes.planes * codes.tables), equals(bits)),
          exact({"heavy .2, sink 128, local 128 of 32000 tokens", "attended keys"},
                real(select_keys(scores, {}, {kHeavy, 128, 128}).size()), equals(attended))};
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S000-5",
           .title = "The final score is the count times ||v||_2",
           .source = "document 000, section 6.2",
           .quote = R"(C(q,i) \cdot \|v_i\|_2)",
           .scope = "any count and value",
           .measure = [](const Context&) { return value_norm(row_norms); },
           .mutants = {{"||v||_2 squared",
                        [](const Context&) {
                          return value_norm([](const Matrix& v) { return Vector(v.rowwise().squaredNorm()); });
                        }},
                       {"||v||_2^1.01",
                        [](const Context&) {
                          return value_norm([](const Matrix& v) { return Vector(row_norms(v).array().pow(1.01)); });
                        }},
                       {"||v||_1",
                        [](const Context&) {
                          return value_norm([](const Matrix& v) { return Vector(v.rowwise().lpNorm<1>()); });
                        }}}},
          {.id = "S000-6",
           .title = "The top M allowed keys are selected",
           .source = "document 000, section 7",
           .quote = "Mask out disallowed positions (padding / causal masks)",
           .scope = "any mask and budget; ties to the lower index",
           .measure =
               [](const Context& c) {
                 return masked_selection(c, [&](const Vector& s, const std::vector<Allowed>& mask, Index budget) {
                   return c.estimators.select(s, mask, {budget, 0, 0});
                 });
               },
           .mutants = {{"mask applied after the choice",
                        [](const Context& c) { return masked_selection(c, mask_after_choice); }},
                       {"mask ignored",
                        [](const Context& c) {
                          return masked_selection(c, [](const Vector& s, const std::vector<Allowed>&, Index budget) {
                            return select_keys(s, {}, {budget, 0, 0});
                          });
                        }}},
           .no_near_mutant = "A key is selected or not: the number of wrong choices must be 0."},
          {.id = "S000-9",
           .title = "K=12, L=60 cost 720 bits a key and heavy .2 with sink and window attends 6656 of 32000 keys",
           .source = "document 000, example configuration",
           .quote = "BucketMaskerConfig(K=12, L=60, tau=0.3, heavy_size=0.2)",
           .scope = "arithmetic; sink and window on top of the heavy budget",
           .measure = [](const Context&) { return configuration(720, 6656); },
           .mutants = {{"600 bits", [](const Context&) { return configuration(600, 6656); }},
                       {"sink and window within the budget", [](const Context&) { return configuration(720, 6400); }}},
           .remark = "The paper's Table 1 gives 600 bits, which is P = 10."}};
}

}  // namespace skt::document_selection_group
