#include "estimators/population/weights.hpp"
#include "proofs_check/laws/paper_error_bounds.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::sequence_length_group {

extern const StatementGroup kGroup = {
    .question = "What does the number of keys change in the error bounds? (section 5.2)",
    .notes = R"(
S002-RATE-length         M^-1/2 and L^-1/2 are independent of N; times |V|, the sampling term grows like sqrt(N)
S002-RATE-length-tables  the term of Lemma 9 does not grow if B = N/2 is put in: B, Z_tau and |V| cancel)",
    .method =
        "The ratio of the bounds at N = 8192 and N = 1024 on Gaussian keys. For copies, at N = 1024 and N = 128 with "
        "every key repeated eight times: B and Z_tau grow eightfold and |V| by sqrt(8), while no output changes.",
    .power = "Exact on the copies; on Gaussian keys up to the spread of their draw, which is stated.",
    .kind = Kind::inequality};

namespace {

constexpr Index kGaussian = 1024, kCopied = 128, kTimes = 8, kPlanes = 8;
constexpr double kTemperature = 0.5, kTables = 60, kSamples = 100, kDelta = 0.05;

// The same problem with few keys and with eight times as many.
struct Growing {
  const char* name;
  Instance few, many;
  double allowed;  // how far a ratio of bounds may lie from that of eight copies, by the draw alone
};

Instance gaussian(const Context& context, Index keys) {
  return make_instance({.keys = keys}, context.seed, 0);
}

// On Gaussian keys Z_tau/N and S1 are means over keys. Of w_tau the relative deviation is below .5, of |v| it is .06 in d
// = 128: a mean of 1024 is off by a relative 1/40 at most, five times .5/sqrt(1024), and Z_tau enters as its square.
std::vector<Growing> growing_problems(const Context& context) {
  const Instance once = gaussian(context, kCopied);
  Instance copied = once;
  copied.keys = once.keys.replicate(kTimes, 1);
  copied.values = once.values.replicate(kTimes, 1);
  // Sums of 1024 positive terms, each right to a unit; the singular value needs no more.
  return {
      {"Gaussian keys, N=8192 over N=1024", gaussian(context, kGaussian), gaussian(context, kTimes * kGaussian), 0.1},
      {"every key eight times, N=1024 over N=128", once, copied, 1e-11}};
}

Vector weights_of(const Instance& instance) {
  const PopulationParameters p = population_parameters(instance, kPlanes, kTemperature, Scaling::inverse_sqrt_dim);
  return population_weights(p, instance).weights;
}

// B = N/2, the least that can hold almost surely.
BoundConstants constants(const Instance& instance) {
  return {.occupancy = real(instance.num_keys()) / 2,
          .population_mass = weights_of(instance).sum(),
          .spectral_norm = spectral_norm(instance.values)};
}

// S1 = sum a_j|v_j|, with which Lemma 10 holds as well (S002-E30-sharper).
BoundConstants with_mean_length(const Instance& instance) {
  BoundConstants c = constants(instance);
  const Vector weights = weights_of(instance);
  c.spectral_norm = weights.dot(row_norms(instance.values)) / weights.sum();
  return c;
}

double sampling_term(const BoundConstants& c) {
  return sampling_bound(c, kSamples, kDelta);
}
double tables_term(const BoundConstants& c) {
  return finite_table_bound(c, kTables, kDelta);
}
double tables_needed(const BoundConstants& c) {
  return required_tables(c, kDelta);
}

using ConstantsOf = BoundConstants (*)(const Instance&);
using Term = double (*)(const BoundConstants&);

Evidence growth(const Growing& at, const char* what, ConstantsOf constants_of, Term term, double most) {
  const double ratio = term(constants_of(at.many)) / term(constants_of(at.few));
  return exact({at.name, what}, ratio, at_most(most, at.allowed));
}

auto neither_term_grows(ConstantsOf of_sampling) {
  return [=](const Context& context) {
    std::vector<Evidence> evidence;
    for (const Growing& at : growing_problems(context)) {
      evidence.push_back(growth(at, "sampling term", of_sampling, sampling_term, 1));
      evidence.push_back(growth(at, "finite-table term, B = N/2", constants, tables_term, 1));
    }
    return evidence;
  };
}

enum class Constants { almost_sure, frozen };

// `most` times as many tables and as large a bound.
auto tables_do_not_grow(Constants kind, double most) {
  return [=](const Context& context) {
    std::vector<Evidence> evidence;
    for (const Growing& at : growing_problems(context)) {
      const BoundConstants few = constants(at.few);
      BoundConstants many = constants(at.many);
      if (kind == Constants::frozen) {
        many.occupancy = few.occupancy;
        many.population_mass = few.population_mass;
      }
      evidence.push_back(exact({at.name, "tables required by Lemma 9"}, tables_needed(many) / tables_needed(few),
                               at_most(most, at.allowed)));
      evidence.push_back(
          exact({at.name, "bound of Lemma 9"}, tables_term(many) / tables_term(few), at_most(most, at.allowed)));
    }
    return evidence;
  };
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-RATE-length",
       .title = "Neither the sampling term nor the finite-table term of the bound rises with N",
       .source = "paper, section 5.2",
       .wording = Wording::reading,
       .scope = "N grows eightfold, to 8192; in Lemma 9 B = N/2, the least that can hold almost surely",
       .measure = neither_term_grows(constants),
       .controls = {{"S1 for |V| in the sampling term", neither_term_grows(with_mean_length)}},
       .expected = Verdict::refuted,
       .remark =
           "The paper says it of the terms M^-1/2 and L^-1/2 in the bracket of Theorem 3, and of these it is true. "
           "The bound multiplies them by |V|, which grows 2.3-fold on Gaussian keys and like sqrt(N) where every "
           "key is repeated. With S1 in its place, which also bounds the summands, the sampling term does not "
           "grow."},
      {.id = "S002-RATE-length-tables",
       .title = "With B = N/2, neither the required tables nor the bound of Lemma 9 rise with N",
       .source = "paper, section 5.2, and Lemma 9",
       .scope = "N grows eightfold, to 8192; B = N/2, the least that can hold almost surely",
       .measure = tables_do_not_grow(Constants::almost_sure, 1),
       .mutants = {{"both fall by a fiftieth", tables_do_not_grow(Constants::almost_sure, 0.98)},
                   {"both fall by half", tables_do_not_grow(Constants::almost_sure, 0.5)},
                   {"B and Z_tau fixed, as the constants of Theorem 3 are", tables_do_not_grow(Constants::frozen, 1)}},
       .remark = "B, Z_tau and |V| all grow with N and cancel in the bound. With B and Z_tau fixed, the bound would "
                 "grow with |V|, like sqrt(N); but B is at least N/2."}};
}

}  // namespace skt::sequence_length_group
