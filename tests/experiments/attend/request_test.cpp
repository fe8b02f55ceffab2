#include "experiments/attend/request.hpp"

#include "tests/catch.hpp"
#include "tests/experiments/parsed_command.hpp"

using namespace skt;

namespace {

AttendRequest parsed(const std::string& words) {
  AttendRequest request;
  Command command("attend", "", Writes::results);
  add_fields(command.fields, request);
  read_arguments(command, words_of(words));
  return request;
}

// What follows the three files.
AttendRequest requested(const std::string& words) {
  return parsed("--queries q.npy --keys k.npy --values v.npy " + words);
}

}  // namespace

TEST_CASE("What is not given is left to the profile, and the choices are the paper's", "[unit]") {
  const AttendRequest request = requested("");

  CHECK(request.files.queries == "q.npy");
  CHECK(request.profile == "paper");
  CHECK((request.compare.empty() && request.budget.empty() && request.files.mask.empty()));
  CHECK((!request.tables && !request.planes && !request.temperature && !request.sink && !request.window));
  CHECK(request.files.mask_true == MaskTrue::allowed);
  CHECK(request.settings.ranker == Ranker::socket);
  CHECK(request.settings.output == OutputRule::exact_softmax);
  CHECK(request.settings.precision == ScorePrecision::f64);
  CHECK(request.settings.socket.scaling == Scaling::inverse_sqrt_dim);
}

TEST_CASE("Each choice is read by its word", "[unit]") {
  const AttendRequest request = requested(
      "--ranker hamming --output-rule score-softmax --precision f32 --scaling none --mask m.npy --mask-true forbidden "
      "--sink 3");

  CHECK(request.settings.ranker == Ranker::hamming);
  CHECK(request.settings.output == OutputRule::score_softmax);
  CHECK(request.settings.precision == ScorePrecision::f32);
  CHECK(request.settings.socket.scaling == Scaling::none);
  CHECK(request.files.mask_true == MaskTrue::forbidden);
  CHECK(request.sink == 3);
  CHECK(requested("--ranker hard-lsh").settings.ranker == Ranker::hard_lsh);
}
