// How is a list of parts run, in one process or in many, and so that no interruption loses a finished one?
//
//   local         runs what no journal of the folder holds, and keeps each part as it is done
//   --slice I/N   the same for the parts of one slice of N: nothing is assembled, the journal is the result
//   --merge       runs nothing: every part must be in a journal
//   mpirun        as local or a slice, with the parts handed out to all processes (workers.hpp)
//
// Merging is resuming: all journals of the folder are read in each case. They are removed when the command has assembled
// the results and written its files, so that an interruption before loses nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/command/command.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/parts/part_work.hpp"
#include "sim/json.hpp"

namespace skt {

struct PartsOptions {
  std::string slice{};  // "I/N"; empty: all
  bool merge = false;
};

// --slice and --merge. Where a launcher started several processes, all but the first fall silent.
void add_fields(Fields& fields, PartsOptions& options);

// What is asked of a command that runs parts.
template <class Request>
struct Job : Request {
  PartsOptions how;
};
template <class Request>
void add_fields(Fields& fields, Job<Request>& job) {
  add_fields(fields, static_cast<Request&>(job));
  add_fields(fields, job.how);
}

using MakeParts = std::function<std::vector<Part>(const WorkSeen&)>;

// Results in the order of the parts; none where this process leaves assembling to another: it runs a slice, or is not the
// first of its launcher. Makes the folder of results. InputError for what journal.hpp and slices.hpp refuse, for parts
// that are missing when slices are merged, and for processes of one launcher that are not alike.
std::optional<std::vector<Json>> run_parts(const MakeParts& make, const RunFacts& facts, const PartsOptions& options,
                                           const SharedOptions& shared);

// When their results are assembled: writes the files and provenance.json, all or none, and removes the journals. The line
// that says where they are.
std::string write_results_of_parts(const SharedOptions& shared, FileTexts files, const RunFacts& facts);

// Of parts that say nothing while they work.
std::optional<std::vector<Json>> run_parts(const std::vector<Part>& parts, const RunFacts& facts,
                                           const PartsOptions& options, const SharedOptions& shared);

}  // namespace skt
