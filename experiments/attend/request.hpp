// What is asked of attend, before profiles and defaults are filled in?
//
// The options of the command line and the arguments of the Python package; a default that differed between the two would
// show in python/tests/attend/attend_test.py.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/attend/query.hpp"

namespace skt {

class Fields;

// Scores have a number for every query and key, the largest file by far.
enum class ScoresFile { written, left_out };

// As typed; what is empty takes the profile's own value.
struct AttendRequest {
  AttendFiles files;
  std::string profile = "paper", compare;
  std::optional<Index> tables, planes, sink, window;
  std::optional<double> temperature;
  std::string budget;
  bool no_scores = false, no_value_norm = false;
  std::optional<Index> error_samples;
  std::optional<double> target_residual;
  ErrorSettings error;      // delta, sampling and range
  AttendSettings settings;  // ranker, scaling, output rule and precision; for the paper's profile
};

// What --ranker can be: a sum over the tables, or a rule that orders all keys and learns from no other queries.
std::vector<std::string> attend_rankers();

// The options of attend.
void add_fields(Fields& fields, AttendRequest& request);

// What attend, certify and choose ask in the same words: queries, keys, values, hyperplanes and mask; and the size of the
// tables.
void add_array_fields(Fields& fields, AttendFiles& files, Batches batches);
void add_table_fields(Fields& fields, std::optional<Index>& tables, std::optional<Index>& planes);

// Of attend and choose: what a mask means; a list for each query head or for each KV head, and the bits of signed
// projections.
void add_mask_fields(Fields& fields, AttendFiles& files);
void add_list_fields(Fields& fields, Lists& lists, GroupRule& group, Index& bits);

}  // namespace skt
