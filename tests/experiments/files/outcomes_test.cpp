#include "experiments/files/outcomes.hpp"

#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("JUnit has a case for each outcome, counted, and no time", "[unit]") {
  const std::string text =
      junit_xml("socketlab verify", {{"paper, Lemma 1", "S1"},
                                     {"paper, Lemma 2", "S2", OutcomeState::failed, "is refuted\nwhy"},
                                     {"paper, Lemma 3", "S3", OutcomeState::skipped, "no device"}});

  CHECK(text ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\">\n"
        "  <testsuite name=\"socketlab verify\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\">\n"
        "    <testcase classname=\"paper, Lemma 1\" name=\"S1\"/>\n"
        "    <testcase classname=\"paper, Lemma 2\" name=\"S2\">\n"
        "      <failure message=\"is refuted\">is refuted&#10;why</failure>\n"
        "    </testcase>\n"
        "    <testcase classname=\"paper, Lemma 3\" name=\"S3\">\n"
        "      <skipped message=\"no device\"/>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n");
}

TEST_CASE("What XML cannot hold as it is, is escaped or replaced, in attributes and texts", "[unit]") {
  const std::string text = junit_xml(
      "a & b", {{"x < y", "\"P\" > 1\t", OutcomeState::failed, std::string("|Z~ - Z| <= 2 && \x01 'tau'\r")}});

  CHECK(text.find("name=\"a &amp; b\"") != std::string::npos);
  CHECK(text.find("classname=\"x &lt; y\" name=\"&quot;P&quot; &gt; 1&#9;\"") != std::string::npos);
  CHECK(text.find(">|Z~ - Z| &lt;= 2 &amp;&amp; ? 'tau'&#13;</failure>") != std::string::npos);
}

TEST_CASE("Letters beyond ASCII stay in JUnit as they are", "[unit]") {
  const std::string text = junit_xml("\xc3\xa9\xf0\x9d\x9c\x8f", {{"a\x7f", "b"}});  // e with acute, mathematical tau

  CHECK(text.find("<testsuite name=\"\xc3\xa9\xf0\x9d\x9c\x8f\"") != std::string::npos);
  CHECK(text.find("classname=\"a\x7f\"") != std::string::npos);
}

TEST_CASE("An annotation stands for each failure, on one line", "[unit]") {
  const std::string text = annotations({{"a", "S1"},
                                        {"a", "S2", OutcomeState::failed, "is refuted: 100%, expected 50\nfor tau"},
                                        {"a", "keys=4,dim=8: x", OutcomeState::failed, "y"},
                                        {"a", "S3", OutcomeState::skipped, "z"}});

  CHECK(text ==
        "::error title=S2::is refuted: 100%25, expected 50%0Afor tau\n"
        "::error title=keys=4%2Cdim=8%3A x::y\n");
}
