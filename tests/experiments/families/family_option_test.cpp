#include "experiments/families/family_option.hpp"

#include "experiments/command/shipped_files.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/sim/two_key_heads.hpp"

using namespace skt;

namespace {

std::vector<std::string> families_of(const std::string& words) {
  std::vector<std::string> families{"gaussian"};
  FamilyRequest request;
  Command command("sweep", "", Writes::results);
  add_families(command.fields, families, request, "Instances");
  read_arguments(command, words_of(words));
  return families;
}

}  // namespace

TEST_CASE("Families are given by either word, with commas, and none twice", "[unit]") {
  CHECK(families_of("") == std::vector<std::string>{"gaussian"});
  CHECK(families_of("--families needle,clustered") == std::vector<std::string>{"needle", "clustered"});
  CHECK(families_of("--family needle,clustered") == std::vector<std::string>{"needle", "clustered"});
  CHECK(refusal([] { families_of("--family needle --families needle"); }) ==
        "--families: needle twice; allowed is each once");
}

TEST_CASE("The file of the learned family is the one given, else the one of the program", "[unit]") {
  CHECK(learned_file({"needle"}, "").empty());
  CHECK(learned_file({"needle", "learned-1"}, "mine.safetensors") == "mine.safetensors");
  CHECK(refusal([] { learned_file({"needle"}, "mine.safetensors"); }) ==
        "--learned mine.safetensors: no family is learned; allowed is --learned with --families learned");
}

TEST_CASE("Without a file the learned family has the one that comes with the program", "[unit]") {
  const std::string kept = "experiments/families/learned_heads.safetensors";

  const std::string found = learned_file({"learned"}, "");

  CHECK(found.ends_with(kept));
  CHECK(std::filesystem::equivalent(found, shipped_file("plots/report.py").parent_path().parent_path() / kept));
}

TEST_CASE("The facts of a run name the file of its learned instances, if it has any", "[unit]") {
  RunFacts facts;
  note_learned({}, facts);
  CHECK(facts.learned_heads.empty());

  note_learned(with_heads({}, two_key_heads()), facts);
  CHECK(facts.learned_heads == "made by hand");
}
