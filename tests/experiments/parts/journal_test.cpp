#include "experiments/parts/journal.hpp"

#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "experiments/parts/run_identity.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;
namespace {

// Not constants: an identity takes a tenth of a second to read the program, before every test of it.
Json this_run() {
  return run_identity({"socketlab verify --seed 1", 1, "smoke"});
}
Json other_run() {
  return run_identity({"socketlab verify --seed 2", 2, "smoke"});
}

KeptParts read(const TemporaryFolder& folder) {
  return read_journals(folder.path, this_run(), OtherRuns::refused);
}

// No file grows beyond these bytes, as on a full disk.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) : ignored_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, ignored_);
  }

 private:
  rlimit before_{};
  void (*ignored_)(int);
};

}  // namespace

TEST_CASE("What a journal keeps is read again, but for what was cut short", "[unit]") {
  const TemporaryFolder folder;
  const auto path = folder.path / "unfinished.jsonl";
  {
    Journal journal(path, this_run());
    journal.add("one", {{"x", 0.1}});
    journal.add("two", nullptr);
  }
  std::ofstream(path, std::ios::app) << R"({"part":"three","resu)";

  KeptParts parts = read(folder);
  REQUIRE(parts.size() == 2);
  CHECK(parts.at("one").result == Json{{"x", 0.1}});
  CHECK(parts.at("two").result.is_null());
  CHECK(parts.at("one").journal == path);

  Journal(path, this_run()).add("three", 3);  // goes on where the last whole line ends
  parts = read(folder);
  CHECK(parts.size() == 3);
  CHECK(parts.at("three").result == 3);

  remove_journals(folder.path);
  CHECK(files_in(folder.path) == 0);
}

TEST_CASE("A journal whose first line was cut short holds nothing and is begun anew", "[unit]") {
  const TemporaryFolder folder;
  const auto path = folder.path / "unfinished.jsonl";
  std::ofstream(path) << this_run().dump().substr(0, 20);

  CHECK(read(folder).empty());
  Journal(path, this_run()).add("one", 1);
  CHECK(read(folder).size() == 1);
}

TEST_CASE("A journal that never held a part is gone with its writer, and one that held some is not", "[unit]") {
  const TemporaryFolder folder;
  const auto path = folder.path / "unfinished.jsonl";
  {
    const Journal journal(path, this_run());
  }
  CHECK(files_in(folder.path) == 0);

  Journal(path, this_run()).add("one", 1);
  {
    const Journal journal(path, this_run());
  }
  CHECK(read(folder).size() == 1);
}

TEST_CASE("A line that is no part is forgotten, and those after it are not", "[unit]") {
  const TemporaryFolder folder;
  std::ofstream(folder.path / "slice-1-of-2.jsonl") << this_run().dump() << "\n"
                                                    << "{\"part\":\"one\",\"resu\n"
                                                    << "{\"part\":1,\"result\":2}\n"
                                                    << "[]\n\n"
                                                    << "{\"part\":\"two\",\"result\":2}\n";

  const KeptParts parts = read(folder);
  CHECK(parts.size() == 1);
  CHECK(parts.at("two").result == 2);
}

TEST_CASE("All journals of a folder are read, and nothing else is", "[unit]") {
  const TemporaryFolder folder;
  CHECK(read_journals(folder.path / "none", this_run(), OtherRuns::refused).empty());
  Journal(folder.path / "slice-1-of-2.jsonl", this_run()).add("one", 1);
  Journal(folder.path / "slice-2-of-2.jsonl", this_run()).add("two", 2);
  Journal(folder.path / "unfinished.jsonl", this_run()).add("three", 3);
  std::ofstream(folder.path / "verdicts.jsonl") << "{}\n";

  CHECK(read(folder).size() == 3);
  remove_journals(folder.path);
  CHECK(files_in(folder.path) == 1);
}

TEST_CASE("A part that stands twice must have one result", "[unit]") {
  const TemporaryFolder folder;
  const auto first = folder.path / "slice-1-of-2.jsonl", second = folder.path / "slice-2-of-2.jsonl";
  Journal(first, this_run()).add("one", 0.5);
  Journal(second, this_run()).add("one", 0.5);
  CHECK(read(folder).size() == 1);

  Journal(second, this_run()).add("one", 0.25);
  CHECK(refusal([&] { read(folder); }) == second.string() + ": part \"one\" has a different result in " +
                                              first.string() +
                                              "; allowed are equal results, or only one of the journals");
}

TEST_CASE("The journal of another run is refused and kept, or discarded if so wanted", "[unit]") {
  const TemporaryFolder folder;
  const auto other = folder.path / "unfinished.jsonl", same = folder.path / "slice-1-of-2.jsonl";
  Journal(other, other_run()).add("one", 1);
  Journal(same, this_run()).add("two", 2);
  const std::string before = contents(other);

  CHECK(refusal([&] { read(folder); }) ==
        other.string() +
            ": a journal of another command (socketlab verify --seed 2 there, socketlab verify --seed 1 here); allowed "
            "are the same run, another --out, or --force, which discards it");
  CHECK(contents(other) == before);

  const KeptParts parts = read_journals(folder.path, this_run(), OtherRuns::discarded);
  CHECK(parts.size() == 1);
  CHECK(parts.at("two").result == 2);
  CHECK(!std::filesystem::exists(other));
}

TEST_CASE("A journal is written by one process at a time", "[unit]") {
  const TemporaryFolder folder;
  const auto path = folder.path / "unfinished.jsonl";
  const Journal first(path, this_run());

  CHECK(refusal([&] { Journal second(path, this_run()); }) ==
        path.string() + ": another process is writing this journal; allowed is one at a time");
}

TEST_CASE("Where there is no room for a line, those before it stay and a later run goes on", "[unit]") {
  const TemporaryFolder folder;
  const auto path = folder.path / "unfinished.jsonl";
  Journal journal(path, this_run());
  journal.add("one", 1);
  const std::string before = contents(path);
  {
    const SmallFiles small(before.size() + 10);  // less than a line
    CHECK(refusal([&] { journal.add("two", 2); }) ==
          path.string() +
              ": cannot write this journal, which keeps its contents; allowed are free space and write permission");
  }
  CHECK(contents(path) == before);
  journal.add("two", 2);
  CHECK(read(folder).size() == 2);
}
