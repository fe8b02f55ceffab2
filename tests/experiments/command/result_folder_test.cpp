#include "experiments/command/result_folder.hpp"

#include "experiments/command/provenance.hpp"
#include "experiments/files/result_file.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;

namespace {

struct Request {
  int keys = 32;
  std::string label;
  bool wide = false;
};

void add_fields(Fields& fields, Request& request) {
  fields.add("keys", &request.keys, "");
  fields.add("label", &request.label, "");
  fields.add("wide", &request.wide, "");
}

// A command that writes one file and provenance, as all do.
class Run {
 public:
  explicit Run(const std::string& words, const std::string& file = "sweep.csv")
      : command_(make_command<Request>("sweep", "", [file](const Request&, const SharedOptions& shared) {
          write_result(std::filesystem::path(shared.out) / file, shared.command);
          write_results(shared.out, {}, {shared.command, 1, ""});
          return 0;
        })) {
    std::vector<std::string> all = words_of(words);
    all.erase(all.begin());
    read_arguments(command_, all);
  }
  int operator()() { return command_.run(); }
  const SharedOptions& shared() const { return *command_.shared; }

 private:
  Command command_;
};

int no_memory(const Request&, const SharedOptions&) {
  throw std::runtime_error("no memory");
}

bool same(const std::string& first, const std::string& second) {
  Request request;
  Fields fields;
  add_fields(fields, request);
  return same_run(fields, "socketlab " + first, "socketlab " + second);
}

}  // namespace

TEST_CASE("Every command has a folder of its own, and the main job the one that the documents name", "[unit]") {
  CHECK(default_folder("reproduce") == "results");
  CHECK(default_folder("verify") == "results-verify");
  CHECK(Run("sweep").shared().out == "results-sweep");
  CHECK(Run("sweep --out there").shared().out == "there");
}

TEST_CASE("Texts are of the same run whatever their order, and with a default left out", "[unit]") {
  CHECK(same("sweep --seed 1", "sweep --keys 32 --seed 1"));
  CHECK(same("sweep --keys 64 --seed 1", "sweep --seed 1 --keys 64"));
  CHECK(same("sweep --wide --seed 1", "sweep --wide true --seed 1"));
  CHECK_FALSE(same("sweep --seed 1", "sweep --keys 33 --seed 1"));
  CHECK_FALSE(same("sweep --keys 33 --seed 1", "sweep --seed 1"));
  CHECK_FALSE(same("sweep --seed 1", "sweep --seed 2"));
  CHECK_FALSE(same("sweep --seed 1", "sweep --wide --seed 1"));
  CHECK_FALSE(same("sweep --seed 1", "audit --seed 1"));
}

TEST_CASE("The same run is repeated in its folder; another is refused, and nothing of the first is lost", "[unit]") {
  const TemporaryFolder folder;
  const std::string out = " --out '" + folder.path.string() + "'";

  CHECK(Run("sweep --keys 8" + out)() == 0);
  CHECK(Run("sweep --keys 8" + out + " --threads 2")() == 0);
  const std::string said = refusal([&] { Run("sweep --keys 9" + out)(); });

  CHECK(said == "--out " + folder.path.string() +
                    ": holds results of `socketlab sweep --keys 8 --seed 1`; allowed are that command, another folder, "
                    "or --force, which replaces them");
  CHECK(contents(folder.path / "sweep.csv") == "socketlab sweep --keys 8 --seed 1");
}

TEST_CASE("With --force the other run's results go, and only they", "[unit]") {
  const TemporaryFolder folder;
  const std::string out = " --out '" + folder.path.string() + "'";
  Run("sweep --keys 8" + out)();
  const std::vector<std::string> stale = {"report.html", "verdicts.jsonl", "output-hub.npy", "error_tables_needle.svg"};
  const std::vector<std::string> own = {"q.npy", "notes.csv", "report.txt", "output.csv"};
  for (const auto* names : {&stale, &own})
    for (const std::string& name : *names) write_result(folder.path / name, name);

  Run("sweep --keys 9" + out + " --force", "sweep_slopes.csv")();

  for (const std::string& name : stale) CHECK_FALSE(std::filesystem::exists(folder.path / name));
  CHECK_FALSE(std::filesystem::exists(folder.path / "sweep.csv"));
  for (const std::string& name : own) CHECK(contents(folder.path / name) == name);
  CHECK(contents(folder.path / "sweep_slopes.csv") == "socketlab sweep --keys 9 --seed 1");
  CHECK(contents(folder.path / "provenance.json").find("--keys 9") != std::string::npos);
}

TEST_CASE("A forced run that fails before it has results leaves those of the other run", "[unit]") {
  const TemporaryFolder folder;
  Run("sweep --keys 8 --out '" + folder.path.string() + "'")();
  const ParsedCommand other([] { return make_command<Request>("audit", "", &no_memory); },
                            "audit --force --out '" + folder.path.string() + "'");

  CHECK(refusal([&] { other.run(); }) == "no memory");
  CHECK(contents(folder.path / "sweep.csv") == "socketlab sweep --keys 8 --seed 1");
}

TEST_CASE("Provenance that says nothing of a command is another run's", "[unit]") {
  const TemporaryFolder folder;
  for (const std::string text : {"", "[]", "{}", "{\"command\": 3}", "{\"command\": \"socketlab"}) {
    INFO(text);
    write_result(folder.path / "provenance.json", text);
    CHECK(refusal([&] { Run("sweep --out '" + folder.path.string() + "'")(); }).find("`an unknown command`") !=
          std::string::npos);
  }
}

TEST_CASE("What writes nothing asks no folder", "[unit]") {
  const TemporaryFolder folder;
  Run("sweep --keys 8 --out '" + folder.path.string() + "'")();
  const auto seven = [] {
    return make_command<Request>("judge", "", [](const Request&, const SharedOptions&) { return 7; }, Writes::nothing);
  };

  CHECK(ParsedCommand(seven, "judge --out '" + folder.path.string() + "'").run() == 7);
}
