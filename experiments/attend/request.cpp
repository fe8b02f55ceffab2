#include <fmt/format.h>

#include <algorithm>

#include "experiments/attend/choices.hpp"
#include "experiments/attend/request.hpp"
#include "experiments/command/fields.hpp"

namespace skt {
namespace {

// Of the rules a name alone; kRankers' own stand for sums over the tables.
void set_ranker(AttendSettings& settings, const std::string& word) {
  const auto meant = kRankers.find(word);
  settings.ranker = meant == kRankers.end() ? Ranker::socket : meant->second;
  settings.rule = meant == kRankers.end() ? word : "";
}

std::vector<std::string> words_of(const Words<Ranker>& rankers) {
  std::vector<std::string> words;
  for (const auto& [word, ranker] : rankers) words.push_back(word);
  return words;
}

void add_error_fields(Fields& fields, AttendRequest& r) {
  fields
      .add("error-samples", &r.error_samples,
           "Keys outside the list to read for the error of the output: estimates, proved limits and the corrected "
           "output; profile paper, exact-softmax")
      .from(2, 1 << 24);
  fields
      .add("delta", &r.error.plan.delta,
           "Probability with which each limit may be exceeded, over the sample and the signs, for one query")
      .above(0, 0.5)
      .used_with("error-samples");
  fields
      .add(
          "target-residual", &r.target_residual,
          "The list grows, by half as much again from the budget on, until the limit of its residual weight is at most "
          "this, or has all keys")
      .from(0, 1)
      .used_with("error-samples");
  fields
      .add(
          "error-range", r.error.range, kErrorRanges,
          "What limits the logit of a key that is not read: signs of orthogonal projections of keys less their mean, or "
          "their norms alone")
      .used_with("error-samples");
  fields.add("error-bits", &r.error.bits, "Signs of a key, rounded up to a multiple of dim")
      .from(1, kMostTables)
      .used_with("error-range", {"signs"})
      .used_with("error-samples");
  fields
      .add("error-sampling", r.error.plan.sampling, kErrorSamplings,
           "Draws keys in proportion to the limits of their weights, or all alike")
      .used_with("error-samples");
}

}  // namespace

std::vector<std::string> attend_rankers() {
  std::vector<std::string> all = words_of(kRankers);
  const auto add = [&](const std::string& rule) {
    if (!kRankers.contains(rule) && !learns(rule) && rule != kMagicPig && std::ranges::count(all, rule) == 0)
      all.push_back(rule);
  };
  for (const std::string& rule : all_rule_names()) add(rule);
  return all;
}

void add_array_fields(Fields& fields, AttendFiles& files, Batches batches) {
  const std::string batch = batches == Batches::merged ? "in front of the heads a batch is allowed"
                                                       : "a leading batch dimension of 1 is allowed";
  fields
      .add(
          "queries", &files.queries,
          "q.npy or FILE.safetensors[:NAME], [dim], [queries, dim] or [heads, queries, dim], or [heads, dim] where keys "
          "have heads; " +
              batch + "; float16, bfloat16, float32 or float64, C or Fortran order")
      .needed();
  fields.add("keys", &files.keys, "k.npy [keys, dim] or [key_heads, keys, dim]; types as --queries").needed();
  fields.add("values", &files.values, "v.npy [keys, value_dim] or [key_heads, keys, value_dim]").needed();
  fields.add(
      "hyperplanes", &files.hyperplanes,
      "w.npy [tables, planes, dim], drawn from N(0,1) independently of all other inputs, as the bounds of certify "
      "suppose; by default drawn from --seed");
  fields.add("mask", &files.mask,
             "m.npy [keys], [queries, keys] for every head, or [heads, queries, keys]: bool, or floating point to be "
             "added to the logits, where 0 or more allows a key");
}

void add_mask_fields(Fields& fields, AttendFiles& files) {
  fields.add("mask-true", files.mask_true, kMaskTrue, "What true means in a bool mask (in hub's own masks: forbidden)")
      .used_with("mask");
  fields.add("causal", &files.causal,
             "Queries are the last positions of the sequence: query i of Q sees keys 0 to N - Q + i if the mask allows "
             "them; the window ends there");
}

void add_table_fields(Fields& fields, std::optional<Index>& tables, std::optional<Index>& planes) {
  fields.add("tables", &tables, "Hash tables L").from(1, kMostTables).usually(fmt::format("{}", kDefaultTables));
  fields
      .add("planes", &planes,
           fmt::format("Hyperplanes P of a table, 1 to {}; published profiles of attend 1 to {}", kMaxPlanes,
                       kPublishedPlanes))
      .from(1, kMaxPlanes)
      .usually(fmt::format("{}", kDefaultPlanes));
}

void add_list_fields(Fields& fields, Lists& lists, GroupRule& group, Index& bits) {
  fields.add("lists", lists, kLists, "A list of keys for each query head, or one for all that share a KV head");
  fields
      .add(
          "group", group.score, kGroups,
          "Score of a key for a KV head: the sum of its heads' softmax weights as estimated, or the largest; of rankers "
          "that only order keys always the largest score")
      .used_with("lists", {"kv-head"});
  fields
      .add(
          "normaliser", group.normaliser, kNormalisers,
          "What a head's weights are divided by: their sum over all keys, its estimate from the sums of 16 tiles of 64 "
          "keys or from their logarithms, the largest weight, or 1")
      .used_with("lists", {"kv-head"});
  fields.add("bits", &bits, "Bits of signed projections and signatures").from(1, 65536);
}

void add_fields(Fields& fields, AttendRequest& r) {
  AttendSettings& s = r.settings;
  add_array_fields(fields, r.files, Batches::of_one);
  fields.add(
      "corners", &r.files.corners,
      "c.npy [2^planes, planes], drawn from N(0,1): the noise corners of gpt-fast; by default drawn from --seed");
  add_mask_fields(fields, r.files);
  fields
      .add(
          "profile", &r.profile,
          "paper, or a published implementation with its own arithmetic and defaults: gpt-fast and hf of January 2026, "
          "gpt-fast-later, or hub")
      .of({"paper", "gpt-fast", "gpt-fast-later", "hf", "hub"});
  fields.add("compare", &r.compare, "A second profile; reports what differs between the two")
      .of({"paper", "gpt-fast", "gpt-fast-later", "hf", "hub"});
  add_table_fields(fields, r.tables, r.planes);
  fields.add("temperature", &r.temperature, "Temperature tau, above 0; fixed in gpt-fast and hf")
      .above(0)
      .usually(fmt::format("{}", s.socket.temperature));
  fields
      .add("budget", &r.budget,
           "Keys to select: a count, or with a decimal point a fraction of the keys that gives at least one; gpt-fast "
           "uses 3600")
      .counts_keys();
  fields.add("sink", &r.sink, "First keys, always selected, on top of the budget [0; gpt-fast 120, hf 20, hub 128]")
      .from(0);
  fields.add("window", &r.window, "Last keys, always selected, on top of the budget").from(0);
  fields.add("scaling", s.socket.scaling, kScalings, "Divisor of tanh(Wq)");
  fields
      .add("ranker",
           Choice{[&s](const std::string& word) { set_ranker(s, word); },
                  [&s] { return s.rule.empty() ? word_for(kRankers, s.ranker) : s.rule; }},
           "Score of a key: of socket, hard-lsh and hamming the sum over the tables times the value norm; others as "
           "choose has them, NAME-value times the value norm")
      .of(attend_rankers());
  add_list_fields(fields, s.lists, s.group, s.bits);
  fields.at("bits").used_with("ranker", signature_names());
  fields.add("no-value-norm", &r.no_value_norm, "Ranks by the sums over the tables alone")
      .used_with("ranker", words_of(kRankers));
  fields
      .add("output-rule", s.output, kOutputRules,
           "Weights of the selected values: the softmax of q.k/sqrt(dim) or of the sums over the tables")
      .used_with("ranker", words_of(kRankers));
  fields.add("precision", s.precision, kPrecisions, "Precision of the scores and the results")
      .used_with("ranker", words_of(kRankers));
  add_error_fields(fields, r);
  fields.add("no-scores", &r.no_scores, "Writes no scores.npy, which has one number per query and key");
}

}  // namespace skt
