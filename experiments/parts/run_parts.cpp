#include "experiments/parts/run_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>
#include <stdexcept>

#include "experiments/command/messages.hpp"
#include "experiments/command/progress.hpp"
#include "experiments/files/staged_files.hpp"
#include "experiments/parts/interruption.hpp"
#include "experiments/parts/journal.hpp"
#include "experiments/parts/run_identity.hpp"
#include "experiments/parts/slices.hpp"
#include "experiments/parts/workers.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

namespace fs = std::filesystem;
constexpr Index kNamed = 3;  // of parts that a message is about

// "verify" of "socketlab verify --seed 1".
std::string word_of(const RunFacts& facts) {
  std::istringstream words(facts.command);
  std::string word;
  words >> word >> word;
  return word;
}

std::string first_names(const std::vector<Part>& parts, const std::vector<Index>& numbers) {
  std::vector<std::string> names;
  for (Index i = 0; i < std::min(kNamed, std::ssize(numbers)); ++i) names.push_back(parts[numbers[i]].name);
  return fmt::format("{}{}", fmt::join(names, ", "), std::ssize(numbers) > kNamed ? ", .." : "");
}

// What a run holds of its parts.
class Results {
 public:
  Results(const std::vector<Part>& parts, const KeptParts& kept) : parts_(parts), results_(parts.size()) {
    std::set<std::string> known;
    for (Index i = 0; i < std::ssize(parts); ++i) {
      if (!known.insert(parts[i].name).second) throw std::logic_error("two parts are named " + parts[i].name);
      const auto found = kept.find(parts[i].name);
      if (found != kept.end()) results_[i] = found->second.result;
    }
    for (const auto& [name, part] : kept)
      require(known.contains(name), "{}: part \"{}\" is none of this run; allowed are the journals of one run",
              part.journal.string(), name);
  }

  const Json& set(Index part, Json result) { return results_[part].emplace(std::move(result)); }
  std::vector<Index> missing(const std::vector<Index>& of) const {
    std::vector<Index> numbers;
    for (const Index part : of)
      if (!results_[part]) numbers.push_back(part);
    return numbers;
  }
  std::vector<Index> missing() const { return missing(heaviest_first(parts_)); }
  std::vector<Json> all() && {
    std::vector<Json> results;
    for (std::optional<Json>& result : results_) results.push_back(std::move(result.value()));
    return results;
  }

 private:
  const std::vector<Part>& parts_;
  std::vector<std::optional<Json>> results_;
};

// Progress by weight, which is time. A part may say what it has done before it is done.
class Meter {
 public:
  void start(const std::string& word, const std::vector<Part>& parts, const std::vector<Index>& todo) {
    std::uint64_t total = 0;
    for (const Index part : todo) total += work_of(parts[part]);
    meter_.emplace(word, total);
  }
  void stop() { meter_.reset(); }
  // Of several processes none but the first could say it.
  void see(std::uint64_t microseconds) {
    if (!meter_ || !runs_alone()) return;
    seen_ += microseconds;
    meter_->advance(microseconds);
  }
  void finish(const Part& part) {
    const std::uint64_t work = work_of(part), seen = seen_.exchange(0);
    if (work > seen) meter_->advance(work - seen);
  }

 private:
  static std::uint64_t work_of(const Part& part) {
    return static_cast<std::uint64_t>(std::max(1.0, std::ceil(part.weight)));
  }
  std::optional<ProgressMeter> meter_;
  std::atomic<std::uint64_t> seen_ = 0;
};

std::string failure_of(const Json& result) {
  return result.is_object() ? result.value("failure", "") : "";
}

// Which slices, of those whose journals the folder holds or should, lack parts?
std::string slices_with_gaps(const std::vector<Part>& parts, const Results& results, const fs::path& folder) {
  std::set<Index> numbers_of_slices;
  for (const fs::path& journal : journals_in(folder))
    if (const auto slice = slice_of_journal(journal.filename().string())) numbers_of_slices.insert(slice->of);
  std::vector<std::string> names;
  for (const Index of : numbers_of_slices) {
    const std::vector<std::vector<Index>> hands = dealt(parts, of);
    for (Index i = 0; i < of; ++i)
      if (!results.missing(hands[i]).empty()) names.push_back(name_of(Slice{i + 1, of}));
  }
  return names.empty() ? "" : fmt::format("; of slices {}", fmt::join(names, ", "));
}

void check_complete(const std::vector<Part>& parts, const Results& results, const fs::path& folder) {
  const std::vector<Index> missing = results.missing();
  if (missing.empty()) return;
  refuse("--merge: {} of {} parts are missing in {} ({}{}); allowed is a folder with the journals of all slices",
         missing.size(), parts.size(), folder.string(), first_names(parts, missing),
         slices_with_gaps(parts, results, folder));
}

void say_going_on(const std::string& word, std::size_t parts, std::size_t missing) {
  if (missing < parts) say("{}: continuing with {} of {} parts done\n", word, parts - missing, parts);
}

void end_slice(const std::string& word, const Slice& slice, const std::vector<Part>& parts, const Results& results,
               const fs::path& journal) {
  const std::size_t left = results.missing().size();
  const std::string next = left == 0 ? "all parts are done: the same command with --merge writes the results"
                                     : fmt::format("{} of {} parts are left to other slices", left, parts.size());
  fmt::print("{}: slice {} is done, in {}; {}\n", word, name_of(slice), journal.string(), next);
}

// Each result reaches the journal before the next is waited for. Returns the parts that failed, which it does not keep.
std::vector<Index> run_missing(Workers& workers, const std::vector<Part>& parts, const std::vector<Index>& todo,
                               const Json& identity, const fs::path& journal_path, Results& results,
                               const std::string& word, Meter& meter) {
  std::vector<Index> failed;
  if (todo.empty()) {  // the other processes of a launcher wait to be told
    workers.run(parts, todo, identity, {});
    return failed;
  }
  Journal journal(journal_path, identity);
  const SaysWhenInterrupted says(fmt::format("{}: interrupted; {} keeps what is done, and the same command continues",
                                             word, journal_path.string()));
  meter.start(word, parts, todo);
  workers.run(parts, todo, identity, [&](Index part, Json given) {
    const Json& result = results.set(part, std::move(given));
    if (failure_of(result).empty())
      journal.add(parts[part].name, result);
    else
      failed.push_back(part);
    meter.finish(parts[part]);
  });
  meter.stop();
  return failed;
}

}  // namespace

void add_fields(Fields& fields, PartsOptions& options) {
  fields.before = [] {
    const bool silent = leads_the_run() || (std::freopen("/dev/null", "w", stdout) != nullptr &&
                                            std::freopen("/dev/null", "w", stderr) != nullptr);
    if (!silent) refuse("/dev/null: cannot be written");
  };
  fields.add("slice", &options.slice, "Runs slice I of N, given as I/N; slices can run in parallel, on any machines")
      .changes_no_result();
  fields.add("merge", &options.merge, "Computes nothing: writes the results of the slices whose journals are in --out")
      .excludes({"slice"})
      .changes_no_result();
}

std::string write_results_of_parts(const SharedOptions& shared, FileTexts files, const RunFacts& facts) {
  std::string wrote = write_results(shared.out, std::move(files), facts);
  remove_journals(shared.out);
  return wrote;
}

std::optional<std::vector<Json>> run_parts(const std::vector<Part>& parts, const RunFacts& facts,
                                           const PartsOptions& options, const SharedOptions& shared) {
  return run_parts([&](const WorkSeen&) { return parts; }, facts, options, shared);
}

std::optional<std::vector<Json>> run_parts(const MakeParts& make, const RunFacts& facts, const PartsOptions& options,
                                           const SharedOptions& shared) {
  Meter meter;
  const WorkSeen seen = [&meter](std::uint64_t microseconds) { meter.see(microseconds); };
  const std::vector<Part> parts = make(seen);
  const std::optional<Slice> slice = slice_named(options.slice);
  const Json identity = run_identity(facts);
  const std::string word = word_of(facts);
  const fs::path folder = shared.out;
  Workers workers;
  if (!leads_the_run()) {
    workers.help(parts, identity);
    return {};
  }

  const StagedFiles made(folder);  // a run that fails before its journal holds a part leaves no folder
  const OtherRuns others = shared.force ? OtherRuns::discarded : OtherRuns::refused;
  Results results(parts, read_journals(folder, identity, others));
  if (options.merge) check_complete(parts, results, folder);
  say_going_on(word, parts.size(), results.missing().size());
  const std::vector<Index> hand = slice ? dealt(parts, slice->of)[slice->number - 1] : heaviest_first(parts);
  const std::vector<Index> todo = results.missing(hand);
  const fs::path journal = folder / (slice ? journal_name(*slice) : "unfinished.jsonl");
  const std::vector<Index> failed = run_missing(workers, parts, todo, identity, journal, results, word, meter);
  if (!slice) return std::move(results).all();
  if (!failed.empty())
    refuse("slice {}: {} of its parts failed ({}); the others are kept, and the same command tries again",
           name_of(*slice), failed.size(), first_names(parts, failed));
  end_slice(word, *slice, parts, results, journal);
  return {};
}

}  // namespace skt
