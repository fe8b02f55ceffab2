// Which words does a user type for the choices of attend, and what does each mean?
//
// The same words stand in the help, in the refusals and in summary.json.
#pragma once

#include <optional>

#include "experiments/attend/query.hpp"
#include "experiments/command/words.hpp"

namespace skt {

inline const Words<Ranker> kRankers = {
    {"socket", Ranker::socket}, {"hard-lsh", Ranker::hard_lsh}, {"hamming", Ranker::hamming}};
inline const Words<OutputRule> kOutputRules = {{"exact-softmax", OutputRule::exact_softmax},
                                               {"score-softmax", OutputRule::score_softmax}};
inline const Words<ScorePrecision> kPrecisions = {{"f64", ScorePrecision::f64}, {"f32", ScorePrecision::f32}};
inline const Words<Lists> kLists = {{"head", Lists::head}, {"kv-head", Lists::kv_head}};
inline const Words<GroupScore> kGroups = {{"sum", GroupScore::sum}, {"largest", GroupScore::largest}};
inline const Words<Normaliser> kNormalisers = {{"all-keys", Normaliser::all_keys},
                                               {"sampled-tiles", Normaliser::sampled_tiles},
                                               {"tile-logs", Normaliser::tile_logs},
                                               {"largest", Normaliser::largest},
                                               {"none", Normaliser::none}};
inline const Words<ErrorRange> kErrorRanges = {{"signs", ErrorRange::signs}, {"norms", ErrorRange::norms}};
inline const Words<RestSampling> kErrorSamplings = {{"weighted", RestSampling::weighted},
                                                    {"uniform", RestSampling::uniform}};
inline const Words<MaskTrue> kMaskTrue = {{"allowed", MaskTrue::allowed}, {"forbidden", MaskTrue::forbidden}};
// The paper's own profile is none of the published ones.
inline const Words<std::optional<Published>> kProfiles = {{"paper", std::nullopt},
                                                          {"gpt-fast", Published::gpt_fast},
                                                          {"gpt-fast-later", Published::gpt_fast_later},
                                                          {"hf", Published::hf},
                                                          {"hub", Published::hub}};

}  // namespace skt
