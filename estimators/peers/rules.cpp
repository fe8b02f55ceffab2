#include "estimators/peers/rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "estimators/peers/bucket_attention.hpp"
#include "estimators/weighted_output.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

const std::string kValue = "-value";

const std::string kPublishedQuest = "quest-16";  // pages of 16 keys, as its authors have them

// As published_rankers lists them, and one more.
const std::vector<std::vector<std::string>>& names_of_groups() {
  static const std::vector<std::vector<std::string>> names = {
      {"socket", "socket-value", "hard-lsh", "hamming", "bucket-attention"},
      {"signature-hamming", "signed-orthogonal", "signed-orthogonal-norm", "rabitq", "signed-independent", "qjl"},
      {"quest"},
      {"double-sparsity"},
      {"loki"},
      {"pqcache"},
      {"value-norm", "random", "streaming-llm", "value-distance-oracle", "cosine-oracle", "oracle-top-k"},
      {kPublishedQuest}};
  return names;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Of NAME-value that no group has: NAME.
std::string base_of(const std::string& rule) {
  if (has(rule_names(), rule) || !rule.ends_with(kValue)) return rule;
  return rule.substr(0, rule.size() - kValue.size());
}

bool stands_for_weight(const std::string& ranker) {
  return ranker == "socket" || ranker == "hard-lsh" || ranker == "hamming";
}

Ranking times_value_norm(const Ranking& ranking, const Vector& norms, Index dim) {
  const double half = 16;  // bits of a norm in half precision
  const auto weigh = [=, of = ranking.scores](const Vector& query) -> Vector { return of(query).cwiseProduct(norms); };
  const auto add_log = [=, of = ranking.scores](const Vector& query) -> Vector {
    return of(query) / std::sqrt(real(dim)) + norms.array().log().matrix();
  };
  const bool product = stands_for_weight(ranking.name);
  return {ranking.name + kValue, ranking.bits_per_token + half,
          product ? std::function<Vector(const Vector&)>(weigh) : add_log};
}

}  // namespace

const std::vector<std::string>& rule_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& group : names_of_groups()) all.insert(all.end(), group.begin(), group.end());
    all.insert(std::find(all.begin(), all.end(), "value-distance-oracle"), kMagicPig);  // before the oracles
    all.insert(std::find(all.begin(), all.end(), "double-sparsity"), kPublishedQuest);  // behind quest
    all.pop_back();
    return all;
  }();
  return names;
}

const std::vector<std::string>& value_rule_names() {
  static const std::vector<std::string> names{"socket",          "hard-lsh", "hamming",     "signed-orthogonal-norm",
                                              "rabitq",          "qjl",      "quest",       "loki",
                                              "double-sparsity", "pqcache",  "oracle-top-k"};
  return names;
}

const std::vector<std::string>& all_rule_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = rule_names();
    for (const std::string& name : value_rule_names())
      if (!has(all, name + kValue)) all.push_back(name + kValue);
    return all;
  }();
  return names;
}

std::vector<std::string> signature_names() {
  std::vector<std::string> names = names_of_groups().at(1);
  for (const std::string& name : names_of_groups().at(1))
    if (has(value_rule_names(), name)) names.push_back(name + kValue);
  return names;
}

const std::vector<std::string>& default_rules() {
  static const std::vector<std::string> names{"socket",      "socket-value", "hard-lsh", "signed-orthogonal-norm",
                                              "quest",       "pqcache",      "loki",     "streaming-llm",
                                              "oracle-top-k"};
  return names;
}

bool is_oracle(const std::string& rule) {
  return base_of(rule).find("oracle") != std::string::npos;
}

bool learns(const std::string& rule) {
  return base_of(rule) == "double-sparsity";
}

ScoreKind kind_of(const std::string& rule) {
  const std::string base = base_of(rule);
  if (stands_for_weight(base) || rule == "socket-value" || rule == "bucket-attention") return ScoreKind::weight;
  if (!has(value_rule_names(), base)) return ScoreKind::order;
  return base == rule ? ScoreKind::product : ScoreKind::log_weight;
}

Vector kv_head_scores(const std::string& rule, const std::vector<Vector>& of_heads, Index dim, const GroupRule& group,
                      std::span<const Allowed> mask) {
  const ScoreKind kind = kind_of(rule);
  const double unit = (kind == ScoreKind::product ? 1 / std::sqrt(real(dim)) : 1) * std::numbers::log2e;
  Matrix x(std::ssize(of_heads), of_heads.front().size());
  for (Index h = 0; h < x.rows(); ++h) {
    x.row(h) = of_heads[h];
    if (kind == ScoreKind::weight) x.row(h) = of_heads[h].array().log() * std::numbers::log2e;
    if (kind == ScoreKind::product || kind == ScoreKind::log_weight) x.row(h) *= unit;
  }
  if (kind == ScoreKind::order) return x.colwise().maxCoeff();
  return group_scores(x, log2_normalisers(x, group.normaliser, mask), group.score);
}

std::vector<Ranking> built_rules(const std::vector<std::string>& rules, const HashSettings& hash,
                                 const RankerInput& input) {
  const auto is_asked = [&](const std::string& ranker) {
    return std::any_of(rules.begin(), rules.end(), [&](const auto& rule) { return base_of(rule) == ranker; });
  };
  for (const std::string& rule : rules)
    require(!learns(rule) || input.calibration_queries.rows() > 0,
            "calibration: missing, and {} learns its channels from queries that are not ranked", rule);
  require(!is_asked("bucket-attention") || hash.planes <= kMostBucketPlanes,
          "planes is {}: with bucket-attention allowed are 1 to {}", hash.planes, kMostBucketPlanes);
  std::vector<RankerGroup> groups = published_rankers(hash, input.keys.cols());
  groups.push_back(quest_ranker(16, kPublishedQuest));
  std::vector<Ranking> built;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::vector<std::string>& names = names_of_groups().at(g);
    if (std::none_of(names.begin(), names.end(), is_asked)) continue;
    for (Ranking& ranking : groups[g](input)) built.push_back(std::move(ranking));
  }
  const Vector norms = row_norms(input.values);
  std::vector<Ranking> chosen;
  for (const std::string& rule : rules) {
    const auto of = std::find_if(built.begin(), built.end(), [&](const Ranking& r) { return r.name == base_of(rule); });
    if (of == built.end()) continue;  // drawn or given
    chosen.push_back(rule == of->name ? *of : times_value_norm(*of, norms, input.keys.cols()));
  }
  return chosen;
}

}  // namespace skt
