#include "experiments/command/outcome_options.hpp"

#include <fmt/format.h>

#include "experiments/command/fields.hpp"
#include "experiments/files/result_file.hpp"

namespace skt {

void add_fields(Fields& fields, OutcomeOptions& options) {
  fields.add("junit", &options.junit, "Also writes JUnit XML to this file, without times").changes_no_result();
  fields.add("annotations", &options.annotations, "Prints an ::error line for each failure, for GitHub Actions")
      .changes_no_result();
}

void check(const OutcomeOptions& options) {
  if (!options.junit.empty()) require_folder_of(options.junit, "--junit");
}

void report(const OutcomeOptions& options, const std::string& suite, const std::vector<Outcome>& outcomes) {
  if (!options.junit.empty()) write_result(options.junit, junit_xml(suite, outcomes));
  if (options.annotations) fmt::print("{}", annotations(outcomes));
}

}  // namespace skt
