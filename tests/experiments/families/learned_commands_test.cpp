// rank, sweep and audit on heads of a file, as a user types them: a small one, and the one that comes with the program.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/command/shipped_files.hpp"
#include "experiments/families/learned_file.hpp"
#include "sim/families.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/families/heads_file.hpp"
#include "tests/experiments/families/run_command.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;
namespace fs = std::filesystem;

namespace {

// Heads of 70 keys about a mean, d = 16, two key heads of two query heads and eight queries each.
std::string write_small_heads(const fs::path& folder) {
  LearnedHeads heads;
  for (std::uint32_t g = 0; g < 2; ++g) {
    const Instance drawn = make_instance({.keys = 86, .dim = 16}, Seed{11}, g);
    heads.keys.push_back(drawn.keys.topRows(70).array() + 0.5);
    heads.values.push_back(drawn.values.topRows(70));
    for (const Index first : {70, 78}) heads.queries.push_back(2 * drawn.keys.middleRows(first, 8));
  }
  const std::vector<WrittenTensor> tensors = {
      {"q", "[4,8,16]", heads.queries}, {"k", "[2,70,16]", heads.keys}, {"v", "[2,70,16]", heads.values}};
  return write_tensors(folder / "small.safetensors", tensors).string();
}

std::string learned_option(const std::string& file) {
  return fmt::format(" --learned '{}'", file);
}

bool all_are(const std::vector<std::string>& column, const std::string& value) {
  return std::count(column.begin(), column.end(), value) == std::ssize(column);
}

// The last query of head 1 sees all keys. `named`: how a user names the file, if at all.
void check_commands(const std::string& file, const std::string& named, const fs::path& folder) {
  const auto heads = read_learned_heads(file);
  const Index keys = heads->keys.front().rows(), queries = heads->queries.front().rows();
  const std::string one = fmt::format("learned-1-{}", queries - 1);
  const std::string text = std::to_string(keys), fewest = std::to_string(keys - queries + 1);

  const CommandRun ranked = run_command(
      rank_command, "rank --part rankers --families learned,learned-1 --trials 2 --densities 0.1 --sizes 64" + named,
      folder);
  CHECK(ranked.code == kAsExpected);
  CHECK(ranked.source() == heads->source);
  CHECK(all_are(ranked.column("rankers.csv", "keys"), fewest));
  const auto rankers = ranked.column("rankers.csv", "ranker"), recalls = ranked.column("rankers.csv", "recall");
  for (std::size_t i = 0; i < rankers.size(); ++i)
    if (rankers[i] == "oracle-top-k") CHECK(recalls[i] == "1");

  const CommandRun swept = run_command(
      sweep_command, "sweep --axis tables --values 16,60 --planes 4 --trials 30 --families " + one + named, folder);
  CHECK(swept.code == kAsExpected);  // no measured interval misses its exact centre
  CHECK(swept.source() == heads->source);
  CHECK(all_are(swept.column("sweep.csv", "family"), one));
  CHECK(all_are(swept.column("sweep.csv", "keys"), text));

  const CommandRun audited =
      run_command(audit_command,
                  "audit --planes 4 --temperatures 0.5 --trials 4 --bound-draws 0 --families " + one + named, folder);
  CHECK(audited.code == kAsExpected);
  CHECK(audited.source() == heads->source);
  CHECK(audited.column("audit.csv", "family") == std::vector{one});
  CHECK(audited.column("audit.csv", "keys") == std::vector{text});
  const double norm = std::stod(audited.column("audit.csv", "query_norm").front());
  CHECK(norm == Approx(heads->queries[1].row(queries - 1).norm()).epsilon(1e-9));
}

}  // namespace

TEST_CASE("rank, sweep and audit run on the heads of a file, and their results name file and instance", "[unit]") {
  const TemporaryFolder folder;
  const std::string file = write_small_heads(folder.path);
  check_commands(file, learned_option(file), folder.path);
}

TEST_CASE("rank, sweep and audit run without a file on the heads that come with the program", "[slow]") {
  const std::string kept = shipped_file("experiments/families/learned_heads.safetensors").string();
  CHECK(fs::file_size(kept) <= 8'000'000);
  const TemporaryFolder folder;
  check_commands(kept, "", folder.path);
}

TEST_CASE("A sweep of the learned family that names no instance names the one that its seed draws", "[unit]") {
  const TemporaryFolder folder;
  const CommandRun swept = run_command(sweep_command,
                                       "sweep --axis samples --values 8 --planes 3 --trials 4 --families learned" +
                                           learned_option(write_small_heads(folder.path)),
                                       folder.path);

  const std::string family = swept.column("sweep.csv", "family").front();
  const Index query = std::stoi(family.substr(family.rfind('-') + 1));
  CHECK(std::count(family.begin(), family.end(), '-') == 2);
  CHECK(swept.column("sweep.csv", "keys").front() == std::to_string(70 - 8 + 1 + query));
}
