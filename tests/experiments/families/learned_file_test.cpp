#include "experiments/families/learned_file.hpp"

#include "tests/catch.hpp"
#include "tests/experiments/families/heads_file.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;

namespace {

std::string refused(const std::string& file) {
  return refusal([&] { read_learned_heads(file); });
}

}  // namespace

TEST_CASE("Every number of a file comes to its head, key and query", "[unit]") {
  const TemporaryFolder folder;
  const auto written = two_key_heads();

  const auto read = read_learned_heads(write_two_key_heads(folder.path));

  CHECK(read->queries == written->queries);
  CHECK(read->keys == written->keys);
  CHECK(read->values == written->values);
}

TEST_CASE("The source is the name of the file and a hash of its content", "[unit]") {
  const TemporaryFolder folder;
  const std::string file = write_two_key_heads(folder.path), first = read_learned_heads(file)->source;
  LearnedHeads others = *two_key_heads();
  others.values[1](4) = 105;

  write_tensors(file, tensors_of(others));

  CHECK(first.starts_with("heads.safetensors, content hash "));
  CHECK(first.size() == std::string("heads.safetensors, content hash ").size() + 16);
  CHECK(read_learned_heads(file)->source != first);
}

TEST_CASE("A file that holds no heads is refused in one line that names it", "[unit]") {
  const TemporaryFolder folder;
  const std::string file = write_two_key_heads(folder.path), none = (folder.path / "none.safetensors").string();
  const auto with = [&](auto&& change) {
    LearnedHeads heads = *two_key_heads();
    std::vector<WrittenTensor> tensors = tensors_of(heads);
    change(tensors);
    write_tensors(file, tensors);
    return refused(file);
  };

  CHECK(refused(none) == "the family learned: " + none + ": there is no such file");
  CHECK(refused("") == "the family learned: : there is no such file");
  std::ofstream(folder.path / "heads.npy") << "no array";
  CHECK(refused((folder.path / "heads.npy").string()).ends_with("allowed is a .safetensors file with q, k and v"));
  CHECK(with([](auto& tensors) { tensors.pop_back(); }) == file + ": it holds no tensor 'v'; it holds k, q");
  CHECK(with([](auto& tensors) { tensors[1].rows[1](2, 0) = NAN; }).starts_with(file + ":k: element [1, 2, 0] is nan"));
  CHECK(with([](auto& tensors) { tensors[1].rows[1].row(2).setZero(); }) ==
        file + ":k: row 2 of head 1 is zero; allowed are vectors with a direction");
  CHECK(with([](auto& tensors) { tensors[0].rows[3].row(1).setZero(); }) ==
        file + ":q: row 1 of head 3 is zero; allowed are vectors with a direction");
  CHECK(with([](auto& tensors) { tensors[0] = {"q", "[2,6,2]", {Matrix::Ones(12, 2)}}; }) ==
        file + ":q: 6 queries to a head for 5 keys; allowed are at most as many, for they are the last positions");
  CHECK(with([](auto& tensors) {
          tensors[0] = {"q", "[3,2,2]", {Matrix::Ones(6, 2)}};
        }).find("3 heads in shape [3, 2, 2]; allowed are multiples of the 2") != std::string::npos);
}
