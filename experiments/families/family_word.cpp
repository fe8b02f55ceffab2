#include "experiments/families/family_word.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "experiments/command/fields.hpp"
#include "experiments/families/learned_file.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr const char* kNeedles = "needles";
constexpr std::string_view kLearned = "learned";

// The whole text as a number; InputError names the word that it ends.
Index number_in(std::string_view text, const std::string& word) {
  Index number = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || stop != text.data() + text.size() || number < 0)
    refuse("the family {}: allowed are learned, learned-HEAD and learned-HEAD-QUERY, with numbers from 0", word);
  return number;
}

FamilyParameters with_learned(const FamilyParameters& parameters, const std::string& word,
                              const FamilyRequest& request) {
  if (request.keys || request.dim)
    refuse("{}: the family {} has the size that its file sets; allowed is to leave it out",
           request.keys ? "--keys" : "--dim", word);
  std::optional<Index> head, query;
  if (word != kLearned) {
    const std::string_view place = std::string_view(word).substr(kLearned.size() + 1);
    const std::size_t hyphen = place.find('-');
    head = number_in(place.substr(0, hyphen), word);
    if (hyphen != std::string_view::npos) query = number_in(place.substr(hyphen + 1), word);
  }
  const auto heads = request.learned_heads ? request.learned_heads : read_learned_heads(request.learned_file);
  return with_heads(parameters, heads, head, query);
}

}  // namespace

bool is_learned(const std::string& name) {
  return name == kLearned || name.starts_with(std::string(kLearned) + "-");
}

FamilyParameters with_family(FamilyParameters parameters, const std::string& name, const FamilyRequest& request) {
  if (is_learned(name)) return with_learned(parameters, name, request);
  const bool several = name == kNeedles;
  parameters.family = several ? InstanceFamily::needle : instance_family(name);
  if (several) parameters.needles = kSeveralNeedles;
  parameters.keys = request.keys.value_or(parameters.keys);
  parameters.dim = request.dim.value_or(parameters.dim);
  return parameters;
}

std::string name_of(const FamilyParameters& parameters) {
  const bool several = parameters.family == InstanceFamily::needle && parameters.needles > 1;
  std::string name = several ? kNeedles : name_of(parameters.family);
  if (parameters.head) name += fmt::format("-{}", *parameters.head);
  if (parameters.head && parameters.query) name += fmt::format("-{}", *parameters.query);
  return name;
}

void add_families(Fields& fields, std::vector<std::string>& families, FamilyRequest& request, const std::string& help) {
  fields.add("families", &families, help).also("family");
  fields.add("learned", &request.learned_file,
             "File for the family learned: q, k and v of heads of a trained model (.safetensors), which sets keys and "
             "dim; by default the file that comes with the program");
}

std::string family_words() {
  return "gaussian, unit-sphere, needle, needles, clustered, anisotropic, rotary-low-rank, attention-sink, "
         "clustered-values, sink-mean; learned: a head and query drawn by the seed, or learned-HEAD, learned-HEAD-QUERY (from 0)";
}

}  // namespace skt
