#include "experiments/verify/measured_time.hpp"

#include <algorithm>

#include "sim/number.hpp"

namespace skt {
namespace {

struct Seconds {
  std::string_view id;
  double of_one_measurement;
};

// At the standard profile: the processor time of `socketlab verify --only ID --profile standard --threads 1`, divided by
// the statement's measurements, on an Intel processor with AVX-512; those of a quarter of a second and more.
constexpr Seconds kLongest[] = {{"OWN-in-use", 5.1},
                                {"OWN-two-keys", 5},
                                {"S002-POP", 1},
                                {"S000-11", 1},
                                {"S002-SNR-corrected", 0.95},
                                {"S002-Q4", 0.94},
                                {"OWN-16d", 0.93},
                                {"S002-F2abc-ceiling", 0.77},
                                {"OWN-bits", 0.7},
                                {"OWN-16h", 0.67},
                                {"S002-A1-tables", 0.64},
                                {"S000-11-recovery", 0.6},
                                {"OWN-16c", 0.59},
                                {"S001-9", 0.55},
                                {"S002-E16-law", 0.48},
                                {"S002-RATE", 0.48},
                                {"S002-L9-law", 0.48},
                                {"S002-RATE-constants", 0.42},
                                {"S002-T12", 0.42},
                                {"S002-T3-hypothesis", 0.41},
                                {"S002-SRP", 0.41},
                                {"S002-AS2", 0.41},
                                {"S002-L9-law-dimensions", 0.4},
                                {"S002-F2abc", 0.39},
                                {"S002-T3", 0.39},
                                {"S002-L6c", 0.35},
                                {"S002-L6d", 0.34},
                                {"S002-R4", 0.34},
                                {"S002-T3-vacuity", 0.33},
                                {"OWN-16b", 0.33},
                                {"OWN-16g", 0.33},
                                {"S002-ARI-corrected", 0.32},
                                {"S002-ARI", 0.32},
                                {"S001-9-corrected", 0.31},
                                {"S002-LSH1-corrected", 0.3},
                                {"OWN-16e", 0.3},
                                {"S002-R7g-order", 0.29},
                                {"S002-A1", 0.28},
                                {"OWN-16a", 0.27},
                                {"S002-Q3", 0.26}};
constexpr double kOthers = 0.05;  // the mean of all others

double standard_seconds(const Statement& statement) {
  const auto found =
      std::find_if(std::begin(kLongest), std::end(kLongest), [&](const Seconds& s) { return s.id == statement.id; });
  return found == std::end(kLongest) ? kOthers : found->of_one_measurement;
}

// How many times the trials of the standard profile are run. Without chance there are hardly any.
double trials_of(const Statement& statement, Profile profile) {
  constexpr std::uint64_t kStandard = 1000;
  return statement.chance == Chance::none ? 1 : real(Context{.profile = profile}.trials(kStandard)) / real(kStandard);
}

}  // namespace

double measured_microseconds(const Statement& statement, Profile profile) {
  constexpr double kMicroseconds = 1e6;  // of a second
  return kMicroseconds * standard_seconds(statement) * trials_of(statement, profile);
}

std::vector<std::string_view> ids_with_measured_time() {
  std::vector<std::string_view> ids;
  for (const Seconds& s : kLongest) ids.push_back(s.id);
  return ids;
}

}  // namespace skt
