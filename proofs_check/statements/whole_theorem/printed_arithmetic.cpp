#include "proofs_check/statements/measuring.hpp"
#include "proofs_check/statements/whole_theorem/printed_tables.hpp"

namespace skt::printed_arithmetic_group {

extern const StatementGroup kGroup = {
    .question =
        "Do the averages and the memory figures that the paper prints follow from the numbers it prints beside them?",
    .notes = R"(Arithmetic: none of it says anything about the method.

An average is the mean of its row to the 0.1 that one printed decimal allows, truncated or rounded. The settings
behind the memory figures are those of document 001 too (configuration).)",
    .method =
        "Exact arithmetic on the printed numbers. It would be wrong if a row were mistyped: then its average would be "
        "off by more than 0.1.",
    .power = "Any deviation above 1e-9."};

namespace {

constexpr double kOneDecimal = 0.1;  // truncation and rounding to one decimal both move a mean by less
// Means of at most 15 two-decimal numbers below 101 carry a rounding error below 15 * 101 * 2^-52.
constexpr double kRounding = 15 * 101 * 0x1p-52;

using Columns = std::vector<std::size_t>;

// Of all rows the one whose printed average is farthest from its mean.
Evidence worst_average(const std::string& table, const std::vector<PrintedRow>& rows, const Columns& left_out,
                       double allowed) {
  double worst = 0;
  std::string where;
  for (const PrintedRow& row : rows) {
    const double gap = std::abs(row.average - mean_without(row, left_out));
    if (gap >= worst) {
      worst = gap;
      where = row.method;
    }
  }
  return exact({table + ", " + where, "largest |printed average - mean of the row|"}, worst,
               at_most(allowed, kRounding));
}

Mutant averages_mutant(const std::string& name, const std::string& table, const std::vector<PrintedRow>& rows,
                       const Columns& left_out, double allowed = kOneDecimal) {
  return {name, [=](const Context&) { return std::vector{worst_average(table, rows, left_out, allowed)}; }};
}

Statement tables_2_and_4_averages() {
  const auto both = [](const Columns& left_out, double allowed) {
    return std::vector{worst_average("Table 2", printed_table_2(), left_out, allowed),
                       worst_average("Table 4", printed_table_4(), left_out, allowed)};
  };
  return {.id = "S002-TAB234",
          .title = "Averages of Tables 2 and 4 leave out Passage-Count, and nothing else",
          .source = "paper, section 6, with Tables 2 and 4",
          .quote = "The AVG score in Tables 2, 3, and 4 excludes Passage-Count",
          .scope = "the printed numbers",
          .measure = [both](const Context&) { return both({kCountColumn}, kOneDecimal); },
          .mutants = {{"to .09", [both](const Context&) { return both({kCountColumn}, 0.09); }},
                      {"all 15 columns", [both](const Context&) { return both({}, kOneDecimal); }},
                      {"Passage-Count and Repo left out",
                       [both](const Context&) { return both({kCountColumn, kRepoColumn}, kOneDecimal); }}}};
}

// Table 3 without the two rows whose printed average is no mean of theirs.
std::vector<PrintedRow> rows_of_table_3_that_fit() {
  std::vector<PrintedRow> rows = printed_table_3();
  std::erase_if(rows, [](const PrintedRow& row) { return row.method == "PQcache 10x" || row.method == "Quest 10x"; });
  return rows;
}

Statement table_3_averages() {
  const auto average = [](const std::vector<PrintedRow>& rows, const Columns& left_out) {
    return [=](const Context&) { return std::vector{worst_average("Table 3", rows, left_out, kOneDecimal)}; };
  };
  return {.id = "S002-TAB234-table-3",
          .title = "Averages of Table 3 leave out Passage-Count, and nothing else",
          .source = "paper, section 6, with Table 3",
          .quote = "The AVG score in Tables 2, 3, and 4 excludes Passage-Count",
          .scope = "the printed numbers",
          .measure = average(printed_table_3(), {kCountColumn}),
          .controls = {{"five of its rows, Passage-Count and Repo left out",
                        average(rows_of_table_3_that_fit(), {kCountColumn, kRepoColumn})}},
          .expected = Verdict::refuted,
          .severity = Severity::imprecise,
          .remark =
              "Leaving out Repo as well explains five of seven rows; PQcache 10x (mean 35.97, printed 36.1) and "
              "Quest 10x (34.60, printed 34.1) fit neither choice."};
}

// Bits that scoring must read for one key: tables * planes of codes.
Evidence code_bits(Index planes, Index tables, double claimed) {
  return exact({"P = " + std::to_string(planes) + ", L = " + std::to_string(tables), "bits of codes for one key"},
               real(planes * tables), equals(claimed));
}

Statement memory_of_quest() {
  // Of each page the least and the largest coordinate of its keys, d = 128 each, in 16 bits.
  const auto bits = [](double keys_to_a_page, double beside) {
    return [=](const Context&) {
      return std::vector{exact({"d = 128, two 16-bit vectors to a page", "bits for one key"},
                               2 * 128 * 16 / keys_to_a_page + beside, equals(512))};
    };
  };
  return {.id = "S002-MEM-quest",
          .title = "Quest's 512 bits are those of pages of 8 keys",
          .source = "paper, Table 1, with \"Quest (pg=8)\" of Table 2",
          .quote = "Quest 5x 512",
          .scope = "d = 128, bf16",
          .measure = bits(8, 0),
          .mutants = {{"pages of 16 keys", bits(16, 0)}, {"and 16 bits beside", bits(8, 16)}},
          .remark = "Table 2 names pages of 16 keys at 5x, which take 256 bits, and of 8 at 10x."};
}

Statement traffic_of_scoring() {
  const auto read_bits = [](double claimed) {
    return std::vector{exact({"P = 10, L = 60", "bits read to score one key (codes and a 16-bit norm)"}, 10 * 60 + 16,
                             at_most(claimed))};
  };
  return {.id = "S002-MEM2",
          .title = "Scoring a key reads one bfloat and one integer",
          .source = "paper, section 1",
          .quote = "by reading only a single bfloat (soft count) and a single integer per key",
          .scope = "P = 10, L = 60; a key is scored and selected",
          .measure = [=](const Context&) { return read_bits(16 + 32); },
          .controls = {{"L bucket ids of P bits and a 16-bit norm", [=](const Context&) { return read_bits(616); }}},
          .expected = Verdict::refuted,
          .severity = Severity::imprecise,
          .remark =
              "This is true of the selection, once the scores are computed. But a score is a sum of L look-ups, so L "
              "bucket ids per key are read: 616 bits with the norm, 3.3 times less than the 2048 bits of a bf16 key, "
              "not 43 times."};
}

Statement speed_up_within_traffic() {
  // bf16 keys and values of 128 coordinates; codes padded to 16 bits each; a 16-bit norm; 1 of 33 tokens gathered.
  constexpr double kDense = 2 * 128 * 2, kCodes = 60 * 2 + 2, kGathered = kDense / 33;
  const auto ratio = [=](double claimed) {
    return std::vector{exact({"d = 128, bf16, P = 10, L = 60, 33x", "bytes of dense over bytes of SOCKET"},
                             kDense / (kCodes + kGathered), at_least(claimed))};
  };
  return {.id = "S002-SPD",
          .title = "Arithmetic: a decode speedup of 1.5 at 33x sparsity is within what memory traffic allows",
          .source = "derived; paper, section 6.2",
          .kind = Kind::inequality,
          .scope = "bytes only; the times themselves depend on hardware and are not claimed",
          .measure = [=](const Context&) { return ratio(1.5); },
          .mutants = {{"4 times is within it with 16-bit bucket ids", [=](const Context&) { return ratio(4.0); }},
                      {"33 times", [=](const Context&) { return ratio(33); }}},
          .remark =
              "Per key, dense attention reads 512 bytes and SOCKET 137.5 with 16-bit ids: a speedup of at most "
              "3.7."};
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-TAB1",
       .title = "Averages of Table 1 follow from its rows to one decimal",
       .source = "paper, Table 1",
       .quote = "PQcache 5x 256 100 99 98.2 92.7 81 51 86.9",
       .scope = "the printed numbers",
       .measure =
           [](const Context&) { return std::vector{worst_average("Table 1", printed_table_1(), {}, kOneDecimal)}; },
       .mutants = {averages_mutant("to .08", "Table 1", printed_table_1(), {}, 0.08),
                   averages_mutant("all averages are rounded half up", "Table 1", printed_table_1(), {},
                                   kOneDecimal / 2),
                   averages_mutant("the last column (qa2) is left out", "Table 1", printed_table_1(), {5})},
       .remark =
           "SOCKET 10x (85.483, printed 85.5) and MagicPig 5x (44.083, printed 44.1) are rounded up; all other rows "
           "are truncated."},
      tables_2_and_4_averages(),
      table_3_averages(),
      {.id = "S002-MEM",
       .title = "SOCKET stores 600 bits for each token on RULER-32K",
       .source = "paper, Table 1 (600 for SOCKET) with the settings of Table 6",
       .quote = "Mem denotes additional memory (bits/token) beyond the KV cache",
       .scope = "P = 10 and 12, L = 60; the 16 bits of the value norm not counted",
       .measure = [](const Context&) { return std::vector{code_bits(10, 60, 600), code_bits(12, 60, 600)}; },
       .controls = {{"at P = 10", [](const Context&) { return std::vector{code_bits(10, 60, 600)}; }}},
       .expected = Verdict::refuted,
       .severity = Severity::imprecise,
       .remark = "600 bits hold for P = 10 only. P = 12 takes 720, and the value norm adds 16."},
      {.id = "S002-MEM-corrected",
       .title = "Arithmetic: the codes of a token take P * L bits: 480, 600, 720 at P = 8, 10, 12 and L = 60",
       .source = "derived; paper, Algorithm 1; document 000, configuration",
       .scope = "codes packed to P bits",
       .measure =
           [](const Context&) {
             return std::vector{code_bits(8, 60, 480), code_bits(10, 60, 600), code_bits(12, 60, 720)};
           },
       .mutants = {{"with the 16 bits of the value norm at P = 10",
                    [](const Context&) { return std::vector{code_bits(10, 60, 616)}; }},
                   {"600 bits at P = 12", [](const Context&) { return std::vector{code_bits(12, 60, 600)}; }},
                   {"16 bits to a code at P = 8", [](const Context&) { return std::vector{code_bits(8, 60, 960)}; }}}},
      memory_of_quest(),
      traffic_of_scoring(),
      speed_up_within_traffic()};
}

}  // namespace skt::printed_arithmetic_group
