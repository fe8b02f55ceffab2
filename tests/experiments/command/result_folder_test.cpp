#include "experiments/command/result_folder.hpp"

#include <CLI/CLI.hpp>

#include "experiments/command/provenance.hpp"
#include "experiments/files/result_file.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;

namespace {

// A subcommand that writes one file and provenance, as all do.
class Run {
 public:
  explicit Run(const std::string& words, std::string file = "sweep.csv") {
    CLI::App& sub = add_subcommand(app_, "sweep", "", shared_, [this, file] {
      write_result(std::filesystem::path(shared_.out) / file, words_);
      write_provenance(shared_.out, {words_, 1, ""});
      return 0;
    });
    sub.add_option("--keys", keys_)->capture_default_str();
    sub.add_option("--label", label_);
    sub.add_flag("--wide", wide_);
    app_.parse(words);
    words_ = "socketlab " + words.substr(0, words.find(" --out")) + " --seed 1";
  }
  int operator()() { return shared_.chosen(); }
  const SharedOptions& shared() const { return shared_; }

 private:
  CLI::App app_;
  SharedOptions shared_;
  int keys_ = 32;
  std::string label_, words_;
  bool wide_ = false;
};

bool same(const std::string& first, const std::string& second) {
  CLI::App app;
  SharedOptions shared;
  int keys = 32;
  bool wide = false;
  CLI::App& sub = add_subcommand(app, "sweep", "", shared, [] { return 0; });
  sub.add_option("--keys", keys)->capture_default_str();
  sub.add_flag("--wide", wide);
  return same_run(sub, "socketlab " + first, "socketlab " + second);
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
  CLI::App app;
  SharedOptions shared;
  add_subcommand(app, "audit", "", shared, []() -> int { throw std::runtime_error("no memory"); });
  app.parse("audit --force --out '" + folder.path.string() + "'");

  CHECK(refusal([&] { shared.chosen(); }) == "no memory");
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
  CLI::App app;
  SharedOptions shared;
  add_subcommand(app, "judge", "", shared, [] { return 7; }, Writes::nothing);
  app.parse("judge --out '" + folder.path.string() + "'");

  CHECK(shared.chosen() == 7);
}
