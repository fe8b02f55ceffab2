#include "experiments/command/command.hpp"

#include <fmt/format.h>
#include <omp.h>

#include "tests/catch.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

struct Nothing {};

void add_fields(Fields&, Nothing&) {}

}  // namespace

TEST_CASE("A command runs with its threads and what all commands share", "[unit]") {
  const Threads restored(omp_get_max_threads());
  int threads = 0;
  std::string text;
  const auto run = [&](const Nothing&, const SharedOptions& shared) {
    threads = omp_get_max_threads();
    text = fmt::format("{} {} {}", shared.command, shared.seed, shared.out);
    return 9;
  };
  Command command = make_command<Nothing>("second", "", run, Writes::nothing);
  command.fields.set("seed", {"5"});
  command.fields.set("threads", {"3"});
  command.fields.set("out", {"there"});

  CHECK(threads == 0);
  CHECK(command.run() == 9);
  CHECK(threads == 3);
  CHECK(text == "socketlab second --seed 5 5 there");
}

TEST_CASE("An option that only prints lets a command write nothing", "[unit]") {
  Command command("verify", "", Writes::results);
  bool list = false;
  command.fields.add("list", &list, "").prints_only();
  CHECK(command.writes_results());
  command.fields.set("list", {});
  CHECK_FALSE(command.writes_results());
}

TEST_CASE("A command without options has its seed, given or not", "[unit]") {
  CHECK(Command("sweep", "", Writes::results).text() == "socketlab sweep --seed 1");
}
