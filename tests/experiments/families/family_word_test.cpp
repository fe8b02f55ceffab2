#include "experiments/families/family_word.hpp"

#include "sim/families.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/families/heads_file.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;

TEST_CASE("Needles are eight, and have their own name in the files", "[unit]") {
  FamilyParameters given;
  given.keys = 77;

  const FamilyParameters several = with_family(given, "needles"), one = with_family(given, "needle");

  CHECK(several.family == InstanceFamily::needle);
  CHECK(several.needles == 8);
  CHECK(several.keys == 77);
  CHECK(one.family == InstanceFamily::needle);
  CHECK(one.needles == 1);
  CHECK(name_of(several) == "needles");
  CHECK(name_of(one) == "needle");
  CHECK_THROWS_AS(with_family(given, "needless"), InputError);
}

TEST_CASE("Every family of one name keeps it", "[unit]") {
  const TemporaryFolder folder;
  const FamilyRequest request{.learned_file = write_two_key_heads(folder.path)};

  for (const std::string& name : instance_family_names()) CHECK(name_of(with_family({}, name, request)) == name);
}

TEST_CASE("Keys and dim are the user's where given, else those of the parameters", "[unit]") {
  const FamilyParameters sized = with_family({.keys = 77, .dim = 5}, "clustered", {.keys = 40});

  CHECK(sized.keys == 40);
  CHECK(sized.dim == 5);
}

TEST_CASE("A learned word names all heads, one head, or one of its queries", "[unit]") {
  const TemporaryFolder folder;
  const FamilyRequest request{.learned_file = write_two_key_heads(folder.path)};
  const FamilyParameters all = with_family({.query_norm = 3}, "learned", request),
                         head = with_family({}, "learned-3", request), one = with_family({}, "learned-3-1", request);

  CHECK_FALSE(all.head);
  CHECK(all.query_norm == 3);
  CHECK(head.head == 3);
  CHECK_FALSE(head.query);
  CHECK(one.keys == 5);
  CHECK(make_instance(one, Seed{1}, 0).query == Vector{{4, 2}});
  for (const FamilyParameters& p : {head, one}) CHECK(name_of(p) == name_of(with_family({}, name_of(p), request)));
  CHECK(name_of(one) == "learned-3-1");
  CHECK(is_learned("learned-3"));
  CHECK_FALSE(is_learned("learnedly"));
  CHECK_FALSE(is_learned("gaussian"));
}

TEST_CASE("A learned word that names no place, and a size beside it, are refused", "[unit]") {
  const TemporaryFolder folder;
  const std::string file = write_two_key_heads(folder.path);
  const auto refused = [&](const std::string& word, const FamilyRequest& request) {
    return refusal([&] { with_family({}, word, request); });
  };
  const FamilyRequest plain{.learned_file = file};

  for (const std::string word : {"learned-", "learned-x", "learned-1-", "learned-1-2-3", "learned--1", "learned-1x"})
    CHECK(refused(word, plain) ==
          "the family " + word + ": allowed are learned, learned-HEAD and learned-HEAD-QUERY, with numbers from 0");
  CHECK(refused("learned-4", plain) == "the family learned: head is 4: allowed are 0 to 3");
  CHECK(refused("learned-0-2", plain) == "the family learned: query is 2: allowed are 0 to 1");
  CHECK(refused("learned", {.keys = 5, .learned_file = file}) ==
        "--keys: the family learned has the size that its file sets; allowed is to leave it out");
  CHECK(refused("learned-1", {.dim = 2, .learned_file = file}) ==
        "--dim: the family learned-1 has the size that its file sets; allowed is to leave it out");
}
