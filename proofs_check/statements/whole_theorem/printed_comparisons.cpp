#include <set>

#include "proofs_check/statements/measuring.hpp"
#include "proofs_check/statements/whole_theorem/printed_tables.hpp"

namespace skt::printed_comparisons_group {

extern const StatementGroup kGroup = {
    .question = "Do the comparisons that the texts make follow from the printed tables?",
    .notes = R"(  S002-TXT61..   paper, section 6.1: SOCKET's averages beside those of the strongest baselines
  S002-TXT2..    the same in section 2, of the methods that are named there
  S002-TXT7..    what was run, in the words of section 7 and of the abstract

An average is recomputed from its row: without Passage-Count in Table 2, as the text says, without Passage-Count and
Repo in Table 3, which fits its printed averages (S002-TAB234-table-3). Leads are taken between the printed averages
too where a verdict could hang on the choice. "Approximately x" is read as x up to a quarter, "roughly x" as x up to
a half, "matches" and "on par" as no more than one point below.)",
    .method = "Exact arithmetic on the printed numbers.",
    .power = "Any deviation above 1e-9."};

namespace {

const std::vector<std::string> kBoth{"PQcache", "Quest"};
const std::vector<std::string> kLongBench{"5x", "10x"};
const std::vector<std::string> kRuler{"5x", "10x", "20x", "50x"};
const std::vector<std::string> kRulerBaselines{"PQcache", "Quest", "DS", "HashAttn", "MagicPig"};

constexpr double kRounding = 1e-9;  // means of 15 numbers below 101 are right to 4e-13

struct Table {
  std::string name;
  std::vector<PrintedRow> rows;
  std::vector<std::size_t> left_out;

  double average(const std::string& method) const { return mean_without(row_of(rows, method), left_out); }
  double lead(const std::string& baseline, const std::string& sparsity) const {
    return average("SOCKET " + sparsity) - average(baseline + " " + sparsity);
  }
  double printed_lead(const std::string& baseline, const std::string& sparsity) const {
    return row_of(rows, "SOCKET " + sparsity).average - row_of(rows, baseline + " " + sparsity).average;
  }
};

constexpr auto ruler = [] { return Table{"Table 1", printed_table_1(), {}}; };
constexpr auto llama = [] { return Table{"Table 2", printed_table_2(), {kCountColumn}}; };
constexpr auto qwen = [] { return Table{"Table 3", printed_table_3(), {kCountColumn, kRepoColumn}}; };
constexpr auto small_llama = [] { return Table{"Table 4", printed_table_4(), {kCountColumn}}; };

// Each average of SOCKET, recomputed, as the text gives it.
std::vector<Evidence> llama_averages(double at_5x, double at_10x) {
  return {exact({"Table 2, SOCKET 5x", "average"}, llama().average("SOCKET 5x"), equals(at_5x, 0.1)),
          exact({"Table 2, SOCKET 10x", "average"}, llama().average("SOCKET 10x"), equals(at_10x, 0.1))};
}

struct ClaimedLead {
  std::string baseline, sparsity;
  double points, share;  // how far the lead may be from `points`, in units of them
};

std::vector<Evidence> leads_are(const Table& table, const std::vector<ClaimedLead>& claims) {
  std::vector<Evidence> evidence;
  for (const auto& [baseline, sparsity, points, share] : claims) {
    const std::string where = fmt::format("{}, {} over {}", table.name, sparsity, baseline);
    const Claim claim = equals(points, share * points + kRounding);
    evidence.push_back(exact({where, "lead of the recomputed average"}, table.lead(baseline, sparsity), claim));
    evidence.push_back(exact({where, "lead of the printed average"}, table.printed_lead(baseline, sparsity), claim));
  }
  return evidence;
}

// The least lead of the averages over all baselines named, at all sparsities named.
Evidence least_lead(const Table& table, const std::vector<std::string>& baselines,
                    const std::vector<std::string>& sparsities, double claimed) {
  double least = HUGE_VAL;
  for (const std::string& baseline : baselines)
    for (const std::string& sparsity : sparsities) least = smaller(least, table.lead(baseline, sparsity));
  return exact({table.name, "least lead of SOCKET's average"}, least, at_least(claimed, kRounding));
}

// Over all of these baselines, at all of these sparsities.
Measure leads_by(double points, Table (*table)(), const std::vector<std::string>& baselines = kBoth,
                 const std::vector<std::string>& sparsities = kLongBench) {
  return [=](const Context&) { return std::vector{least_lead(table(), baselines, sparsities, points)}; };
}

// The least lead of SOCKET's score of one task.
Measure leads_on_every_task(Table (*of)()) {
  return [of](const Context&) {
    const Table table = of();
    double least = HUGE_VAL;
    for (const std::string& sparsity : kLongBench)
      for (const std::string& baseline : kBoth) {
        const PrintedRow& ours = row_of(table.rows, "SOCKET " + sparsity);
        const PrintedRow& theirs = row_of(table.rows, baseline + " " + sparsity);
        for (std::size_t task = 0; task < ours.scores.size(); ++task)
          least = smaller(least, ours.scores[task] - theirs.scores[task]);
      }
    return std::vector{exact({table.name, "least lead of SOCKET's score on a task"}, least, at_least(0))};
  };
}

Statement llama_leads() {
  const auto over_quest = [](double at_5x, double at_10x) {
    return [=](const Context&) {
      return leads_are(llama(), {{"Quest", "5x", at_5x, 0.25}, {"Quest", "10x", at_10x, 0.25}});
    };
  };
  return {.id = "S002-TXT61-lead",
          .title = "On LongBench with Llama-3.1-8B SOCKET leads the strongest baseline by about 2.5 at 5x and at 10x",
          .source = "paper, section 6.1, with Table 2",
          .quote = "exceeding the strongest baseline by approximately 2.5 points in both settings",
          .scope = "the averages of Table 2, printed and recomputed; 2.5 up to a quarter",
          .measure = over_quest(2.5, 2.5),
          .controls = {{"1.6 and 2.0", over_quest(1.6, 2.0)}},
          .expected = Verdict::refuted,
          .severity = Severity::misprint,
          .remark =
              "The leads over Quest, the strongest baseline, are 1.60 and 2.02. At 5x this is the slip of S002-TXT61 "
              "again: 49.7 would lead by 2.3. At 10x 2.02 is 2.5 up to a quarter."};
}

Statement qwen_leads() {
  const auto leads = [](double over_pqcache, double over_quest_5x, double over_quest_10x) {
    return [=](const Context&) {
      return leads_are(qwen(), {{"PQcache", "5x", over_pqcache, 0.25},
                                {"PQcache", "10x", over_pqcache, 0.25},
                                {"Quest", "5x", over_quest_5x, 0.5},
                                {"Quest", "10x", over_quest_10x, 0.5}});
    };
  };
  return {
      .id = "S002-TXT61-qwen-lead",
      .title = "On LongBench with Qwen3-8B SOCKET leads PQCache by about .6 and Quest by roughly 2, at 5x and at 10x",
      .source = "paper, section 6.1, with Table 3",
      .quote = "SOCKET exceeds PQCache by approximately 0.6 points and Quest by roughly 2 points",
      .scope = "the averages of Table 3, printed and recomputed; .6 up to a quarter, 2 up to a half",
      .measure = leads(0.6, 2, 2),
      .controls = {{"about .85, 1 and 2.5", leads(0.85, 1, 2.5)}},
      .expected = Verdict::refuted,
      .severity = Severity::imprecise,
      .remark =
          "The printed averages lead PQCache by .7 and .8, and Quest by .9 and 2.8. The recomputed ones lead PQCache "
          "by .76 and 1.00, and Quest by .96 and 2.37. The text says Qwen3-3B where Table 3 says Qwen3-8B."};
}

Statement pqcache_order() {
  const std::vector<std::string> pqcache{"PQcache"};
  const auto on_longbench = [=](const Context&) {
    return std::vector{least_lead(llama(), pqcache, kLongBench, 0), least_lead(qwen(), pqcache, kLongBench, 0)};
  };
  return {.id = "S002-TXT61-pqcache",
          .title = "SOCKET's averages are above those of PQCache with Llama-3.1-8B and Qwen3-8B",
          .source = "paper, section 2, with Tables 1 to 3",
          .quote = "SOCKET outperforms PQCache on Llama-3.1-8B-Instruct and Qwen3-8B",
          .kind = Kind::ordering,
          .scope = "averages of Tables 1 to 3, every sparsity",
          .measure =
              [=](const Context& context) {
                std::vector<Evidence> evidence = on_longbench(context);
                evidence.push_back(least_lead(ruler(), pqcache, kRuler, 0));
                return evidence;
              },
          .controls = {{"on LongBench", on_longbench}},
          .expected = Verdict::refuted,
          .severity = Severity::imprecise,
          .remark =
              "This is so on LongBench. On RULER-32K PQCache averages .17, .80 and .42 more at 5x, 10x and 20x and "
              "2.38 less at 50x; of RULER, section 6.1 says \"comparably\"."};
}

// How many rows of Tables 2 and 3 are Double Sparsity's?
Evidence rows_of_double_sparsity(double claimed) {
  double rows = 0;
  for (const Table& table : {llama(), qwen()})
    for (const PrintedRow& row : table.rows) rows += row.method.starts_with("DS");
  return exact({"Tables 2 and 3", "rows of Double Sparsity"}, rows, at_least(claimed));
}

Statement section_2_order() {
  const auto matched = [](double points, double rows) {
    return [=](const Context&) {
      return std::vector{least_lead(ruler(), {"Quest", "DS"}, kRuler, -points),
                         least_lead(llama(), {"Quest"}, kLongBench, -points),
                         least_lead(qwen(), {"Quest"}, kLongBench, -points), rows_of_double_sparsity(rows)};
    };
  };
  return {.id = "S002-TXT2",
          .title = "SOCKET matches or exceeds Double Sparsity and Quest with Llama-3.1-8B and Qwen3-8B",
          .source = "paper, section 2, with Tables 1 to 3",
          .quote = "SOCKET matches or outperforms these methods using Llama-3.1-8B-Instruct and Qwen3-8B",
          .kind = Kind::ordering,
          .scope = "averages of Tables 1 to 3, every sparsity; a row of each method for each model",
          .measure = matched(1, 1),
          .controls = {{"up to 1.5 points, Double Sparsity on RULER-32K alone", matched(1.5, 0)}},
          .expected = Verdict::refuted,
          .severity = Severity::imprecise,
          .remark =
              "On RULER-32K Quest averages .73, 1.40 and 1.12 more at 5x, 10x and 20x and 7.82 less at 50x. No table "
              "has Double Sparsity on LongBench or with Qwen3-8B; on RULER-32K SOCKET is above it at every sparsity."};
}

Statement section_2_order_corrected() {
  const auto leads = [](double ruler_quest, double ruler_ds, double longbench_quest) {
    return [=](const Context&) {
      Table of_ds = ruler();
      of_ds.name += ", Double Sparsity";
      return std::vector{least_lead(ruler(), {"Quest"}, kRuler, ruler_quest),
                         least_lead(of_ds, {"DS"}, kRuler, ruler_ds),
                         least_lead(llama(), {"Quest"}, kLongBench, longbench_quest),
                         least_lead(qwen(), {"Quest"}, kLongBench, longbench_quest)};
    };
  };
  return {.id = "S002-TXT2-corrected",
          .title =
              "SOCKET leads Quest by .95 on LongBench and Double Sparsity by 1.5 on RULER-32K, and is at most 1.45 "
              "below Quest there",
          .source = "paper, section 2, corrected",
          .kind = Kind::ordering,
          .scope = "averages of Tables 1 to 3, every sparsity",
          .measure = leads(-1.45, 1.5, 0.95),
          .mutants = {{"at most 1.35 below Quest on RULER-32K", leads(-1.35, 1.5, 0.95)},
                      {"1.6 above Double Sparsity", leads(-1.45, 1.6, 0.95)},
                      {"1 above Quest on LongBench", leads(-1.45, 1.5, 1)}}};
}

// With how many models was each benchmark run, by Table 6?
auto models_of_table_6(double of_longbench, double of_ruler) {
  return [=](const Context&) {
    static const std::pair<std::string, std::string> rows[] = {{"LongBench", "Llama-3.1-8B-Instruct"},
                                                               {"LongBench", "Llama-3.2-1B-Instruct"},
                                                               {"LongBench", "Qwen3-8B"},
                                                               {"RULER-16K", "Llama-3.1-8B-Instruct"},
                                                               {"RULER-32K", "Llama-3.1-8B-Instruct"}};
    const auto models = [](const std::string& benchmark, double claimed) {
      std::set<std::string> names;
      for (const auto& [dataset, model] : rows)
        if (dataset.starts_with(benchmark)) names.insert(model);
      return exact({"Table 6", "models with " + benchmark}, real(names.size()), at_least(claimed));
    };
    return std::vector{models("LongBench", of_longbench), models("RULER", of_ruler)};
  };
}

Statement layers_of_the_speedup() {
  const auto layers_timed = [](double claimed) {
    return [=](const Context&) {
      return std::vector{exact({"caption of Figure 3", "layers of the model that was timed"}, 1, equals(claimed))};
    };
  };
  return {.id = "S002-TXT7-layers",
          .title = "The 1.5 times of the abstract is the throughput of a whole model",
          .source = "paper, abstract and section 7",
          .wording = Wording::reading,
          .scope = "Llama-2-7b has 32 layers",
          .measure = layers_timed(32),
          .controls = {{"of one layer", layers_timed(1)}},
          .expected = Verdict::refuted,
          .remark =
              "The abstract says \"up to 1.5x higher throughput than FlashAttention\", and section 7 adds \"in "
              "GPT-FAST\"; the caption of Figure 3 has \"with a single layer and batch size of 1\". What a whole model "
              "gains is printed nowhere."};
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-TXT61",
       .title = "SOCKET averages 49.7 at 5x on LongBench with Llama-3.1-8B, and 48.8 at 10x",
       .source = "paper, section 6.1, with Table 2",
       .quote = "At 5x sparsity, SOCKET achieves an average LongBench score of 49.7",
       .scope = "the numbers of Table 2 without Passage-Count",
       .measure = [](const Context&) { return llama_averages(49.7, 48.8); },
       .controls = {{"49.0 at 5x, as Table 2 prints", [](const Context&) { return llama_averages(49.0, 48.8); }}},
       .expected = Verdict::refuted,
       .severity = Severity::misprint,
       .remark = "49.7 is the Repo column of that row; its average is 49.08, and Table 2 prints 49."},
      llama_leads(),
      {.id = "S002-TXT61-llama",
       .title = "On LongBench with Llama-3.1-8B SOCKET's average is above those of Quest and PQCache",
       .source = "paper, section 6.1, with Table 2",
       .quote = "SOCKET consistently outperforms both Quest and PQCache on LongBench across different sparsity regimes",
       .kind = Kind::ordering,
       .scope = "averages of Table 2 without Passage-Count",
       .measure = leads_by(0, llama),
       .mutants = {{"by 1.7 points", leads_by(1.7, llama)}, {"on every task", leads_on_every_task(llama)}}},
      qwen_leads(),
      {.id = "S002-TXT61-qwen",
       .title = "On LongBench with Qwen3-8B SOCKET's average is above those of PQCache and Quest",
       .source = "paper, section 6.1, with Table 3",
       .quote = "SOCKET consistently outperforms both PQCache and Quest across sparsity levels",
       .kind = Kind::ordering,
       .scope = "averages of Table 3 without Passage-Count and Repo",
       .measure = leads_by(0, qwen),
       .mutants = {{"by .8 points", leads_by(0.8, qwen)}, {"on every task", leads_on_every_task(qwen)}},
       .remark = "If Passage-Count alone is left out, the smallest lead is .89, over Quest at 5x."},
      {.id = "S002-TXT61-ruler",
       .title = "At 50x SOCKET has the best average of Table 1",
       .source = "paper, section 6.1, with Table 1",
       .quote = "attains the best average at 50x sparsity (see Table 1)",
       .kind = Kind::ordering,
       .scope = "averages of Table 1 over its six tasks",
       .measure = leads_by(0, ruler, kRulerBaselines, {"50x"}),
       .mutants = {{"by 2.5 points", leads_by(2.5, ruler, kRulerBaselines, {"50x"})},
                   {"at every sparsity", leads_by(0, ruler, kRulerBaselines, kRuler)}},
       .remark = "71.93 against PQCache's 69.55. At 5x, 10x and 20x Quest is best, by .73, 1.40 and 1.12."},
      pqcache_order(),
      {.id = "S002-TXT61-small",
       .title = "On LongBench with Llama-3.2-1B SOCKET's average is at most a point below PQCache's and Quest's",
       .source = "paper, section 6.1, with Table 4",
       .quote = "its performance remains on par with data-dependent approaches",
       .kind = Kind::ordering,
       .scope = "averages of Table 4 without Passage-Count",
       .measure = leads_by(-1, small_llama),
       .mutants = {{"at most half a point below", leads_by(-0.5, small_llama)},
                   {"above both", leads_by(0, small_llama)}},
       .remark = "PQCache averages .54 more at 5x and .32 more at 10x."},
      section_2_order(),
      section_2_order_corrected(),
      {.id = "S002-TXT2-hash",
       .title = "On RULER-32K SOCKET's averages are above those of HashAttention and MagicPig",
       .source = "paper, section 2, with Table 1",
       .quote = "yields more reliable performance and improved attention approximation",
       .kind = Kind::ordering,
       .scope = "averages of Table 1, every sparsity",
       .measure = leads_by(0, ruler, {"HashAttn", "MagicPig"}, kRuler),
       .mutants = {{"by 1.2 points", leads_by(1.2, ruler, {"HashAttn", "MagicPig"}, kRuler)},
                   {"above PQCache's too", leads_by(0, ruler, {"HashAttn", "MagicPig", "PQcache"}, kRuler)}},
       .remark = "Of the three methods that are named, Learning-to-Hash Attention is in no table; and no table has an "
                 "error of the attention itself."},
      {.id = "S002-TXT7",
       .title = "LongBench and RULER were each run with three models",
       .source = "paper, section 7",
       .wording = Wording::reading,
       .scope = "rows of Table 6, captions of Tables 1 to 5",
       .measure = models_of_table_6(3, 3),
       .controls = {{"LongBench alone", models_of_table_6(3, 1)}},
       .expected = Verdict::refuted,
       .remark = "Section 7 says \"on LongBench and RULER across three instruction-tuned models\", which is true of "
                 "the two together. RULER was run with Llama-3.1-8B-Instruct only."},
      layers_of_the_speedup()};
}

}  // namespace skt::printed_comparisons_group
