#include "experiments/command/command.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

#include "experiments/command/result_folder.hpp"

namespace skt {

Command::Command(std::string of, std::string says, Writes what)
    : name(std::move(of)),
      description(std::move(says)),
      writes(what),
      shared(std::make_shared<SharedOptions>()),
      fields(name) {
  fields.add("seed", &shared->seed, "Seed of all random numbers").changes_no_result();  // its line has it in any case
  fields.add("threads", &shared->threads, "Number of threads; 0 uses all").from(0, 1024).changes_no_result();
  shared->out = default_folder(name);
  Field& out = fields.add("out", &shared->out, "Folder for result files").changes_no_result();
  if (writes == Writes::nothing)
    out.hides();
  else
    fields.add("force", &shared->force, "Replaces the results of another run in that folder").changes_no_result();
}

std::string Command::text() const {
  return fmt::format("socketlab {}{} --seed {}", name, fields.given(), shared->seed);
}

bool Command::writes_results() const {
  return writes == Writes::results &&
         std::ranges::none_of(fields.rows(), [](const Field& field) { return field.writes_nothing && field.turn > 0; });
}

int Command::run() const {
  shared->command = text();
  if (shared->threads > 0) omp_set_num_threads(shared->threads);
  if (!writes_results()) return work();
  const ResultFolder folder(*this);
  const int code = work();
  folder.remove_stale();
  return code;
}

}  // namespace skt
