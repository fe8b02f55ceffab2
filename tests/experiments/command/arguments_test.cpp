#include "experiments/command/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/catch.hpp"
#include "tests/experiments/parsed_command.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;

namespace {

struct Request {
  std::vector<double> values;
  std::vector<std::string> families{"gaussian"};
  Index keys = 32;
  double cosine = 0;
  bool wide = false;
  std::string file;
};

void add_fields(Fields& fields, Request& r) {
  fields.add("file", &r.file, "What is read").stands_alone().required = false;
  fields.add("values", &r.values, "Values");
  fields.add("families", &r.families, "Families").also("family");
  fields.add("keys", &r.keys, "Keys").from(1);
  fields.add("cosine", &r.cosine, "Cosine, from one end of its range to the other, which is a line that help breaks")
      .from(-1, 1)
      .excludes({"wide"});
  fields.add("wide", &r.wide, "Wide").changes_no_result();
}

// The request that is read, as one line.
std::string read(const std::string& line) {
  Request read;
  Command command("sweep", "", Writes::results);
  add_fields(command.fields, read);
  read_arguments(command, words_of(line));
  return fmt::format("{}|{}|{}|{}|{}|{}", fmt::join(read.values, ","), fmt::join(read.families, ","), read.keys,
                     read.cosine, read.wide, read.file);
}

std::string refused(const std::string& line) {
  return refusal([&] { read(line); });
}

}  // namespace

TEST_CASE("Options are read with a space or = before the value, lists with commas or spaces", "[unit]") {
  CHECK(read("") == "|gaussian|32|0|false|");
  CHECK(read("--keys 4 --wide") == "|gaussian|4|0|true|");
  CHECK(read("--keys=4 --wide=false") == "|gaussian|4|0|false|");
  CHECK(read("--values 4,16 64 --keys 5") == "4,16,64|gaussian|5|0|false|");
  CHECK(read("--values=4,16 --values 64") == "4,16,64|gaussian|32|0|false|");
  CHECK(read("--family needle,clustered") == "|needle,clustered|32|0|false|");
  CHECK(read("--cosine -0.5") == "|gaussian|32|-0.5|false|");
  CHECK(read("--values -0.5 -1") == "-0.5,-1|gaussian|32|0|false|");
  CHECK(read("--keys 5 there") == "|gaussian|5|0|false|there");
  CHECK(read("--values 1 -- --there") == "1|gaussian|32|0|false|--there");
}

TEST_CASE("What is no option, has no value or is not expected is refused by its word", "[unit]") {
  const std::string all = "; `socketlab sweep --help` lists all that are allowed";
  // Letters to change: one, then three for help, out and keys alike, of which the table has help and out first.
  CHECK(refused("--see 1") == "--see: no such option; the nearest are --seed, --help, --out" + all);
  CHECK(refused("--key=4") == "--key: no such option; the nearest are --keys, --help, --seed" + all);
  CHECK(refused("-k 4").starts_with("-k: no such option; the nearest are "));
  CHECK(refused("--file x").starts_with("--file: no such option"));
  CHECK(refused("one two") == "two: not expected here; `socketlab sweep --help` says what is allowed");
  CHECK(refused("--keys") == "--keys: no value given; allowed are whole numbers from 1 on that 64 bits hold");
  CHECK(refused("--keys 4 --keys 4") == "--keys: given twice; allowed is once");
  CHECK(refused("--values 4,,8") == "--values: nothing given; allowed are numbers separated by commas");
  CHECK(refused("--families a --family a") == "--families: a twice; allowed is each once");
  CHECK(refused("--wide --cosine 0") == "--cosine is given with --wide: allowed is one of the two");
}

TEST_CASE("Help is asked for by either word, before the end of options", "[unit]") {
  CHECK(asks_for_help({"--keys", "4", "--help"}));
  CHECK(asks_for_help({"-h"}));
  CHECK_FALSE(asks_for_help({"--keys", "4"}));
  CHECK_FALSE(asks_for_help({"--", "--help"}));
}

TEST_CASE("The help of a command has a line for each option, with its default, broken before 100 columns", "[unit]") {
  Command command = make_command<Request>("sweep", "Sweeps", [](Request&, const SharedOptions&) { return 0; });
  command.footer = "Writes:\n  sweep.csv   rows";

  CHECK(help_of(command) ==
        "Sweeps\n"
        "Usage: socketlab sweep [OPTIONS] file\n"
        "\n"
        "Positionals:\n"
        "  file TEXT                   What is read\n"
        "\n"
        "Options:\n"
        "  -h,--help                   Print this help message and exit\n"
        "  --seed INT=1                Seed of all random numbers\n"
        "  --threads INT=0             Number of threads; 0 uses all\n"
        "  --out TEXT=results-sweep    Folder for result files\n"
        "  --force                     Replaces the results of another run in that folder\n"
        "  --values LIST ...           Values\n"
        "  --families LIST=gaussian ...\n"
        "                              Families\n"
        "  --keys INT=32               Keys\n"
        "  --cosine FLOAT=0 Excludes: --wide\n"
        "                              Cosine, from one end of its range to the other, which is a line that\n"
        "                              help breaks\n"
        "  --wide Excludes: --cosine   Wide\n"
        "\n"
        "Writes:\n"
        "  sweep.csv   rows\n");
}
