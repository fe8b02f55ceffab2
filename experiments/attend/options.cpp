#include "experiments/attend/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>

#include "experiments/attend/choices.hpp"

namespace skt {
namespace {

constexpr std::uint64_t kMostKeys = std::numeric_limits<Index>::max();

template <class T>
void add_choice(CLI::App& sub, const std::string& flag, T& value, const Words<T>& words,
                const std::string& description) {
  const auto read = [&value, &words, flag](const std::string& given) {
    const auto found = words.find(given);
    if (found == words.end())
      throw CLI::ValidationError(flag, fmt::format("{} given; allowed are {}", given, listed(words)));
    value = found->second;
  };
  sub.add_option_function<std::string>(flag, read, fmt::format("{}: {}", description, listed(words)))
      ->default_str(word_for(words, value));
}

void add_file_options(CLI::App& sub, AttendFiles& files) {
  sub.add_option("--queries", files.queries,
                 "q.npy or FILE.safetensors[:NAME], [dim], [queries, dim] or\n"
                 "[heads, queries, dim], or [heads, dim] where keys have heads;\n"
                 "a leading batch dimension of 1 is allowed;\n"
                 "float16, bfloat16, float32 or float64, C or Fortran order")
      ->required();
  sub.add_option("--keys", files.keys, "k.npy [keys, dim] or [key_heads, keys, dim]; types as --queries")->required();
  sub.add_option("--values", files.values, "v.npy [keys, value_dim] or [key_heads, keys, value_dim]")->required();
  sub.add_option("--hyperplanes", files.hyperplanes,
                 "w.npy [tables, planes, dim], drawn from N(0,1);\n"
                 "by default drawn from --seed");
  sub.add_option("--corners", files.corners,
                 "c.npy [2^planes, planes], drawn from N(0,1): the noise\n"
                 "corners of gpt-fast; by default drawn from --seed");
  sub.add_option("--mask", files.mask,
                 "m.npy [keys], [queries, keys] for every head, or [heads,\n"
                 "queries, keys]: bool, or floating point to be added to the\n"
                 "logits, where 0 or more allows a key");
  add_choice(sub, "--mask-true", files.mask_true, kMaskTrue,
             "What true means in a bool mask\n"
             "(in hub's own masks: forbidden)");
  sub.add_flag("--causal", files.causal,
               "Queries are the last positions of the sequence: query i of Q\n"
               "sees keys 0 to N - Q + i if the mask allows them; the\n"
               "window ends there");
}

void add_hash_options(CLI::App& sub, AttendRequest& request) {
  sub.add_option("--tables", request.tables, fmt::format("Hash tables [{}]", kDefaultTables));
  sub.add_option("--planes", request.planes,
                 fmt::format("Hyperplanes per table, 1 to {}; published profiles 1 to {} [{}]", kMaxPlanes,
                             kPublishedPlanes, kDefaultPlanes));
  sub.add_option(
      "--temperature", request.temperature,
      fmt::format("Temperature tau, above 0; fixed in gpt-fast and hf [{}]", request.settings.socket.temperature));
}

void add_selection_options(CLI::App& sub, AttendRequest& request) {
  sub.add_option("--budget", request.budget,
                 "Keys to select: a count, or with a decimal point a fraction\n"
                 "of the keys that gives at least one; gpt-fast uses 3600");
  sub.add_option("--sink", request.sink,
                 "First keys, always selected, on top of the budget\n"
                 "[0; gpt-fast 120, hf 20, hub 128]")
      ->check(whole_numbers(0, kMostKeys));
  sub.add_option("--window", request.window, "Last keys, always selected, on top of the budget")
      ->check(whole_numbers(0, kMostKeys));
}

void add_setting_options(CLI::App& sub, AttendSettings& s) {
  add_choice(sub, "--scaling", s.socket.scaling, kScalings, "Divisor of tanh(Wq)");
  add_choice(sub, "--ranker", s.ranker, kRankers, "Score that is summed over the tables");
  add_choice(sub, "--output-rule", s.output, kOutputRules,
             "Weights of the selected values: the softmax of q.k/sqrt(dim)\n"
             "or of the sums over the tables");
  add_choice(sub, "--precision", s.precision, kPrecisions, "Precision of the scores and the results");
}

}  // namespace

void add_attend_options(CLI::App& sub, AttendRequest& request) {
  add_file_options(sub, request.files);
  sub.add_option("--profile", request.profile,
                 "paper, or a published implementation with its own arithmetic\n"
                 "and defaults: gpt-fast, hf or hub")
      ->capture_default_str();
  sub.add_option("--compare", request.compare, "A second profile; reports what differs between the two");
  add_hash_options(sub, request);
  add_selection_options(sub, request);
  add_setting_options(sub, request.settings);
  sub.add_flag_callback(
      "--no-scores", [&request] { request.scores = ScoresFile::left_out; },
      "Writes no scores.npy, which has one number per query and key");
}

}  // namespace skt
