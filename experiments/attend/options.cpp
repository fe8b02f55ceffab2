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
                 "a batch of one in front or not;\n"
                 "float16, bfloat16, float32 or float64, C or Fortran order")
      ->required();
  sub.add_option("--keys", files.keys, "k.npy [keys, dim] or [key_heads, keys, dim], likewise")->required();
  sub.add_option("--values", files.values, "v.npy [keys, value_dim] or [key_heads, keys, value_dim]")->required();
  sub.add_option("--hyperplanes", files.hyperplanes,
                 "w.npy [tables, planes, dim], as drawn from N(0,1);\n"
                 "left out: drawn from --seed");
  sub.add_option("--corners", files.corners,
                 "c.npy [2^planes, planes], as drawn from N(0,1), the noise\n"
                 "corners of gpt-fast; left out: drawn from --seed");
  sub.add_option("--mask", files.mask,
                 "m.npy [keys], [queries, keys] of every head, or [heads,\n"
                 "queries, keys]: bool, or floating point as added to logits:\n"
                 "0 and more allow a key");
  add_choice(sub, "--mask-true", files.mask_true, kMaskTrue,
             "What true means in a bool mask\n"
             "(in hub's own: forbidden)");
  sub.add_flag("--causal", files.causal,
               "The queries are the last of the sequence: query i of Q sees\n"
               "keys 0 to N - Q + i that the mask allows; the window ends there");
}

void add_hash_options(CLI::App& sub, AttendRequest& request) {
  sub.add_option("--tables", request.tables, fmt::format("Hash tables [{}]", kDefaultTables));
  sub.add_option("--planes", request.planes,
                 fmt::format("Hyperplanes to a table, 1 to {}, published 1 to {} [{}]", kMaxPlanes, kPublishedPlanes,
                             kDefaultPlanes));
  sub.add_option("--temperature", request.temperature,
                 fmt::format("tau, above 0; fixed in gpt-fast and hf [{}]", request.settings.socket.temperature));
}

void add_selection_options(CLI::App& sub, AttendRequest& request) {
  sub.add_option("--budget", request.budget,
                 "Keys to select: a count, or with a decimal point a fraction\n"
                 "of the keys, of one at least; gpt-fast has 3600");
  sub.add_option("--sink", request.sink,
                 "First keys, selected on top of the budget\n"
                 "[0; gpt-fast 120, hf 20, hub 128]")
      ->check(whole_numbers(0, kMostKeys));
  sub.add_option("--window", request.window, "Last keys, likewise")->check(whole_numbers(0, kMostKeys));
}

void add_setting_options(CLI::App& sub, AttendSettings& s) {
  add_choice(sub, "--scaling", s.socket.scaling, kScalings, "Divisor of tanh(Wq)");
  add_choice(sub, "--ranker", s.ranker, kRankers, "What is summed over the tables");
  add_choice(sub, "--output-rule", s.output, kOutputRules,
             "Weights of the selected values, softmax of q.k/sqrt(dim) or\n"
             "of the sums over the tables");
  add_choice(sub, "--precision", s.precision, kPrecisions, "Of the scores and the results");
}

}  // namespace

void add_attend_options(CLI::App& sub, AttendRequest& request) {
  add_file_options(sub, request.files);
  sub.add_option("--profile", request.profile,
                 "paper, or as published: gpt-fast, hf or hub,\n"
                 "with their own arithmetic and defaults")
      ->capture_default_str();
  sub.add_option("--compare", request.compare, "A second profile, and what differs between the two");
  add_hash_options(sub, request);
  add_selection_options(sub, request);
  add_setting_options(sub, request.settings);
  sub.add_flag_callback(
      "--no-scores", [&request] { request.scores = ScoresFile::left_out; },
      "Writes no scores.npy, which has a number for every query and key");
}

}  // namespace skt
