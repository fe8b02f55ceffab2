#include "experiments/attend/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "experiments/attend/choices.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

ModelType model_type_of(ElementType type) {
  return type == ElementType::f16    ? ModelType::f16
         : type == ElementType::bf16 ? ModelType::bf16
         : type == ElementType::f32  ? ModelType::f32
                                     : ModelType::f64;
}

// A gpt-fast batch had one length; hf has one for each query, gpt-fast-later for each entry of the batch.
void check_lengths(AttendProblem& problem, const AttendVariant& variant) {
  if (!variant.published || !traits_of(variant.published->profile).lists_twice) return;
  Index first = 0;
  for (Index i = 0; i < problem.num_queries(); ++i) {
    const Index length = allowed_length(problem.mask(i), problem.num_keys());
    if (i == 0) first = length;
    if (variant.published->profile == Published::gpt_fast && length != first)
      refuse("{} allows {} keys to query 0 and {} to query {}; gpt-fast supports one length for all queries",
             problem.is_causal() ? "--causal" : "--mask", first, length, i);
  }
}

Matrix noise_corners(AttendProblem& problem, Seed seed, Index planes) {
  if (problem.has_corners()) return problem.corners(planes);
  Matrix noise(Index{1} << planes, planes);
  for (std::uint32_t r = 0; r < noise.rows(); ++r)
    fill_normal(seed, {.role = Role::index_choice, .row = r}, std::span(noise.row(r).data(), planes));
  return noise;
}

AttendVariant variant_of(const std::string& name, std::optional<Published> published, const AttendRequest& request,
                         AttendProblem& problem, const Hyperplanes& drawn, Seed seed) {
  AttendVariant variant{
      .profile = name, .settings = request.settings, .hyperplanes = drawn, .published = std::nullopt, .seed = seed};
  variant.settings.value_norm = !request.no_value_norm;
  SelectionRule& rule = variant.settings.selection;
  double& temperature = variant.settings.socket.temperature;
  temperature = request.temperature.value_or(temperature);
  const PublishedTraits traits = published ? traits_of(*published) : PublishedTraits{};
  rule.sink = request.sink.value_or(traits.sink);
  rule.window = request.window.value_or(traits.window);
  if (request.budget.empty() && !traits.budget) refuse("--budget is required under --profile {}", name);
  rule.budget = request.budget.empty() ? *traits.budget : budget_of(request.budget, problem.num_keys());
  if (request.error_samples) {
    if (published || !request.compare.empty())
      refuse("--error-samples: for --profile paper alone; leave the other out");
    if (request.settings.output != OutputRule::exact_softmax)
      refuse("--error-samples: for --output-rule exact-softmax; another output has no residual weight");
    variant.settings.error = request.error;
    variant.settings.error->plan.samples = *request.error_samples;
    variant.settings.error->plan.target = request.target_residual;
  }
  if (!published) return variant;
  const bool noise = traits.noise_corners && drawn.planes <= kPublishedPlanes;
  variant.published = published_hash(*published, model_type_of(problem.model_type()), drawn,
                                     noise ? noise_corners(problem, seed, drawn.planes) : Matrix(), temperature);
  variant.hyperplanes = variant.published->hyperplanes;
  temperature = variant.published->temperature;
  variant.settings.precision = ScorePrecision::f32;
  variant.settings.rule.clear();
  variant.settings.lists = Lists::head;
  variant.settings.value_norm = true;
  check_lengths(problem, variant);
  return variant;
}

// What a published profile fixes cannot be asked for.
void check_fixed(const AttendRequest& request, const std::vector<AttendVariant>& variants) {
  bool temperature = false, paper = false, noise = false;
  for (const AttendVariant& variant : variants) {
    paper = paper || !variant.published;
    temperature = temperature || !variant.published || !traits_of(variant.published->profile).temperature;
    noise = noise || (variant.published && traits_of(variant.published->profile).noise_corners);
  }
  if (request.temperature && !temperature)
    refuse("--temperature: fixed under --profile {}; leave it out", request.profile);
  if (!request.files.corners.empty() && !noise) refuse("--corners: for --profile gpt-fast or --compare gpt-fast only");
  const AttendSettings& s = request.settings;
  const AttendSettings plain;
  if (!paper && (s.ranker != plain.ranker || !s.rule.empty() || request.no_value_norm || s.output != plain.output ||
                 s.precision != plain.precision || s.lists != plain.lists || s.socket.scaling != plain.socket.scaling))
    refuse(
        "--ranker, --lists, --no-value-norm, --output-rule, --scaling and --precision: fixed under --profile {}; leave them out",
        request.profile);
  const bool hashes = s.rule.empty() || variants.size() > 1 || s.rule == "bucket-attention" ||
                      std::ranges::any_of(kRankers, [&](const auto& one) { return s.rule == one.first + "-value"; });
  require(hashes || (!request.tables && !request.planes && !request.temperature && request.files.hyperplanes.empty()),
          "--tables, --planes, --temperature and --hyperplanes: not used by --ranker {}; leave them out", s.rule);
}

}  // namespace

Index budget_of(const std::string& text, Index keys, const char* option) {
  const std::string bad =
      fmt::format("{} {}: allowed are a count such as 128 or a fraction such as 0.05", option, text);
  const char* end = text.data() + text.size();
  if (text.find('.') == std::string::npos) {
    Index count = 0;
    const auto [stop, failure] = std::from_chars(text.data(), end, count);
    if (failure != std::errc() || stop != end || count < 0) refuse("{}", bad);
    return count;
  }
  double fraction = 0;
  const auto [stop, failure] = std::from_chars(text.data(), end, fraction);
  if (failure != std::errc() || stop != end || !(fraction >= 0 && fraction <= 1)) refuse("{}", bad);
  const auto count = static_cast<Index>(fraction * real(keys));
  if (count == 0 && fraction > 0)
    refuse("{} {}: less than one of {} keys; allowed are fractions from {:.4g} on, or a count of keys", option, text,
           keys, 1 / real(keys));
  return count;
}

std::vector<AttendVariant> attend_variants(const AttendRequest& request, AttendProblem& problem, Seed seed) {
  const double temperature = request.temperature.value_or(request.settings.socket.temperature);
  if (!(temperature > 0 && std::isfinite(temperature)))
    refuse("--temperature {}: allowed are finite numbers above 0", temperature);
  std::vector<std::pair<std::string, std::optional<Published>>> profiles = {
      {request.profile, meant_by(kProfiles, "--profile", request.profile)}};
  if (!request.compare.empty())
    profiles.emplace_back(request.compare, meant_by(kProfiles, "--compare", request.compare));
  if (profiles.size() == 2 && profiles[0].first == profiles[1].first)
    refuse("--compare {}: the same as --profile", request.compare);
  const Hyperplanes drawn = problem.hyperplanes(request.tables, request.planes, seed);
  std::vector<AttendVariant> variants;
  for (const auto& [name, published] : profiles)
    variants.push_back(variant_of(name, published, request, problem, drawn, seed));
  check_fixed(request, variants);
  return variants;
}

Json attend_settings(const AttendProblem& problem, const AttendVariant& variant) {
  const AttendSettings& s = variant.settings;
  Json settings = {{"profile", variant.profile},
                   {"heads", problem.heads()},
                   {"key_heads", problem.key_heads()},
                   {"queries", problem.num_queries()},
                   {"keys", problem.num_keys()},
                   {"dim", problem.dim()},
                   {"value_dim", problem.value_dim()},
                   {"tables", variant.hyperplanes.tables},
                   {"planes", variant.hyperplanes.planes},
                   {"hyperplanes", problem.has_hyperplanes() ? "given" : "drawn"},
                   {"temperature", s.socket.temperature},
                   {"scaling", word_for(kScalings, s.socket.scaling)},
                   {"ranker", s.rule.empty() ? word_for(kRankers, s.ranker) : s.rule},
                   {"output_rule", word_for(kOutputRules, s.output)},
                   {"precision", word_for(kPrecisions, s.precision)},
                   {"budget", s.selection.budget},
                   {"sink", s.selection.sink},
                   {"window", s.selection.window}};
  if (problem.is_causal()) settings["causal"] = true;
  if (!s.value_norm) settings["value_norm"] = false;
  if (std::ranges::count(signature_names(), s.rule) > 0) settings["bits"] = s.bits;
  if (s.lists == Lists::kv_head) {
    settings["lists"] = word_for(kLists, s.lists);
    settings["group"] = word_for(kGroups, s.group.score);
    settings["normaliser"] = word_for(kNormalisers, s.group.normaliser);
  }
  if (s.error) {
    settings["error_samples"] = s.error->plan.samples;
    settings["delta"] = s.error->plan.delta;
    settings["error_range"] = word_for(kErrorRanges, s.error->range);
    settings["error_sampling"] = word_for(kErrorSamplings, s.error->plan.sampling);
    if (s.error->range == ErrorRange::signs) settings["error_bits"] = s.error->bits;
    if (s.error->plan.target) settings["target_residual"] = *s.error->plan.target;
  }
  if (!variant.published) return settings;
  settings["model_type"] = type_name(problem.model_type());
  // Both concern the published kernels alone, and where they strike, these read other memory than is meant.
  const Json none = Json::array();
  Json struck = none;
  const double codes = real(problem.heads()) * real(variant.hyperplanes.tables) * real(problem.num_keys());
  if (codes >= 0x1p31) struck.push_back("the index of a code wraps: heads * tables * keys is 2^31 or more");
  if (problem.value_dim() != problem.dim()) struck.push_back("values are read with the strides of the keys");
  const PublishedTraits traits = traits_of(variant.published->profile);
  settings["defects_not_reproduced"] = traits.lists_twice && !traits.drops_listed ? struck : none;
  return settings;
}

}  // namespace skt
