#include "experiments/attend/request.hpp"

#include "tests/catch.hpp"
#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/refusal.hpp"

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

std::string refused(const std::string& words) {
  return refusal([&] { requested(words); });
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

TEST_CASE("A word that is none is refused with those that are", "[unit]") {
  CHECK(refused("--ranker best") == "--ranker: best given; the nearest that are allowed are quest, qjl, loki");
  CHECK(refused("--output-rule mean") == "--output-rule: mean given; allowed are exact-softmax, score-softmax");
  CHECK(refused("--precision f16") == "--precision: f16 given; allowed are f32, f64");
  CHECK(refused("--scaling sqrt") == "--scaling: sqrt given; allowed are inverse-sqrt-dim, none");
  CHECK(refused("--mask-true yes") == "--mask-true: yes given; allowed are allowed, forbidden");
  CHECK(refused("--window -1") == "--window: -1 given; allowed are whole numbers from 0 on that 64 bits hold");
}

TEST_CASE("attend without one of its three files is refused by the option's name", "[unit]") {
  CHECK(refusal([] { parsed("--queries q.npy --keys k.npy"); }).find("--values") != std::string::npos);
}

TEST_CASE("What true means in a mask is refused without a mask", "[unit]") {
  CHECK(refused("--mask-true forbidden") == "--mask-true is given without --mask: allowed with --mask");
}
