#include "proofs_check/context.hpp"
#include "proofs_check/run.hpp"
#include "proofs_check/statements.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

Measured claim_of(const Statement& statement, const std::vector<Statement>& all, Trials trials) {
  const Context context = context_of(statement, all, {.seed = {1}, .profile = Profile::smoke});
  return measured(statement, {}, context, trials);
}

std::uint64_t total(const KeptTrials& kept) {
  return std::accumulate(kept.values.begin(), kept.values.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const ValueCount& v) { return sum + v.count; });
}

std::uint64_t with_value(const KeptTrials& kept, double value) {
  const auto at =
      std::find_if(kept.values.begin(), kept.values.end(), [&](const ValueCount& v) { return v.value == value; });
  return at == kept.values.end() ? 0 : at->count;
}

std::uint64_t above(const KeptTrials& kept, double bound) {
  std::uint64_t sum = 0;
  for (const ValueCount& v : kept.values) sum += v.value > bound ? v.count : 0;
  return sum;
}

}  // namespace

TEST_CASE("A statement says whether it keeps its trials, and does nothing else with them", "[statement]") {
  const std::vector<Statement> all = all_statements();
  Index keep = 0;
  for (const Statement& s : all) {
    if (s.trials == Trials::summed_up) continue;
    INFO(s.id);
    ++keep;
    const Measured kept = claim_of(s, all, Trials::kept), summed = claim_of(s, all, Trials::summed_up);
    CHECK(kept.kept.size() == 1);
    CHECK(summed.kept.empty());
    REQUIRE(kept.evidence.size() == summed.evidence.size());
    for (std::size_t i = 0; i < kept.evidence.size(); ++i)
      CHECK((kept.evidence[i].observed.lo == summed.evidence[i].observed.lo &&
             kept.evidence[i].observed.hi == summed.evidence[i].observed.hi));
  }
  CHECK(keep >= 8);
}

TEST_CASE("The evidence of a law is counted again from the trials that were kept", "[statement]") {
  const std::vector<Statement> all = all_statements();
  for (const char* id : {"S002-E16-law", "S002-L9-law", "S002-L9-law-dimensions"}) {
    INFO(id);
    const Measured one = claim_of(*chosen_statements(all, {id}).front(), all, Trials::kept);
    const KeptTrials& kept = one.kept.front();
    REQUIRE(kept.law.size() == one.evidence.size());
    CHECK(kept.relation == Relation::equal);
    CHECK(kept.law.back().probability == Approx(1).epsilon(1e-12));
    double below = 0;
    for (std::size_t c = 0; c < one.evidence.size(); ++c) {
      CHECK(with_value(kept, real(c)) == one.evidence[c].basis.hits);
      CHECK(total(kept) == one.evidence[c].trials);
      below += one.evidence[c].claimed;
      CHECK(kept.law[c].probability == Approx(below).epsilon(1e-12));
    }
  }
}

TEST_CASE("The violations of a bound are counted again from the trials that were kept", "[statement]") {
  const std::vector<Statement> all = all_statements();
  for (const char* id : {"S002-E16", "S002-E20", "S002-L8", "S002-L9", "S002-L10b"}) {
    INFO(id);
    const Measured one = claim_of(*chosen_statements(all, {id}).front(), all, Trials::kept);
    const KeptTrials& kept = one.kept.front();
    const Evidence& counted_once = one.evidence.back();
    REQUIRE(kept.law.size() == 1);
    CHECK(kept.relation == Relation::at_least);
    CHECK(above(kept, kept.law.front().value) == counted_once.basis.hits);
    CHECK(total(kept) == counted_once.trials);
    CHECK(kept.law.front().probability == 1 - counted_once.claimed);
  }
}
