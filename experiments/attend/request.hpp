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

// A list for each query head or for each KV head, and the bits of signed projections; of attend and choose.
void add_list_fields(Fields& fields, Lists& lists, GroupRule& group, Index& bits);

// Of the paper's main experiments (Table 6): what an empty count of tables or planes means in attend, certify and choose.
// Their temperature is that of SocketParameters, and sink and window are 0.
constexpr Index kDefaultTables = 60;
constexpr Index kDefaultPlanes = 10;

}  // namespace skt
