#include "experiments/parts/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>

#include "experiments/files/result_file.hpp"
#include "experiments/parts/run_identity.hpp"
#include "sim/require.hpp"

namespace skt {

namespace fs = std::filesystem;
namespace {

// Without what stands after the last end of a line.
std::size_t bytes_of_whole_lines(const std::string& text) {
  return text.rfind('\n') + 1;  // none: npos + 1 is 0
}

bool is_journal(const fs::path& path) {
  const std::string name = path.filename().string();
  return name == "unfinished.jsonl" || (name.starts_with("slice-") && name.ends_with(".jsonl"));
}

bool is_entry(const Json& line) {
  return line.is_object() && line.contains("part") && line.at("part").is_string() && line.contains("result");
}

void keep(KeptParts& parts, const fs::path& path, const Json& entry) {
  const std::string name = entry.at("part");
  const auto [kept, is_new] = parts.try_emplace(name, KeptPart{entry.at("result"), path});
  if (!is_new && kept->second.result.dump() != entry.at("result").dump())
    refuse("{}: part \"{}\" has a different result in {}; allowed are equal results, or only one of the journals",
           path.string(), name, kept->second.journal.string());
}

void discard(const fs::path& path) {
  std::error_code failure;
  fs::remove(path, failure);
  if (failure) refuse("{}: cannot remove this journal: {}", path.string(), failure.message());
}

void read_journal(KeptParts& parts, const fs::path& path, const Json& identity, OtherRuns others) {
  std::string text = read_file(path);
  text.resize(bytes_of_whole_lines(text));
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line)) return;
  if (const auto difference = first_difference(Json::parse_or_null(line), identity)) {
    if (others == OtherRuns::refused)
      refuse("{}: a journal of {}; allowed are the same run, another --out, or --force, which discards it",
             path.string(), *difference);
    return discard(path);
  }
  while (std::getline(lines, line)) {
    const Json entry = Json::parse_or_null(line);
    if (is_entry(entry)) keep(parts, path, entry);
  }
}

[[noreturn]] void cannot_write(const fs::path& path) {
  refuse("{}: cannot write this journal, which keeps its contents; allowed are free space and write permission",
         path.string());
}

// All or nothing of the text.
bool append(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(descriptor, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

std::vector<fs::path> journals_in(const fs::path& folder) {
  std::vector<fs::path> journals;
  std::error_code none;
  for (fs::directory_iterator file(folder, none), end; !none && file != end; file.increment(none))
    if (is_journal(file->path())) journals.push_back(file->path());
  std::sort(journals.begin(), journals.end());
  return journals;
}

KeptParts read_journals(const fs::path& folder, const Json& identity, OtherRuns others) {
  KeptParts parts;
  for (const fs::path& path : journals_in(folder)) read_journal(parts, path, identity, others);
  return parts;
}

void remove_journals(const fs::path& folder) {
  for (const fs::path& path : journals_in(folder)) discard(path);
}

Journal::Journal(fs::path path, const Json& identity)
    : path_(std::move(path)), descriptor_(open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) cannot_write(path_);
  try {
    begin(identity);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

Journal::~Journal() {
  std::error_code ignored;
  if (bytes_ == bytes_without_parts_) fs::remove(path_, ignored);
  close(descriptor_);
}

// The lock ends with the process, however that ends. A file system that has no locks goes without.
void Journal::begin(const Json& identity) {
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    refuse("{}: another process is writing this journal; allowed is one at a time", path_.string());
  bytes_ = bytes_of_whole_lines(read_file(path_));
  if (ftruncate(descriptor_, static_cast<off_t>(bytes_)) != 0) cannot_write(path_);
  bytes_without_parts_ = identity.dump().size() + 1;
  if (bytes_ == 0) add_line(identity.dump());
}

void Journal::add(const std::string& part, const Json& result) {
  add_line(Json{{"part", part}, {"result", result}}.dump());
}

void Journal::add_line(std::string line) {
  line += '\n';
  if (!append(descriptor_, line)) {
    // What there was room for goes again. Should that fail too, the next run forgets it: it does not end its line.
    [[maybe_unused]] const int cut = ftruncate(descriptor_, static_cast<off_t>(bytes_));
    cannot_write(path_);
  }
  bytes_ += line.size();
}

}  // namespace skt
