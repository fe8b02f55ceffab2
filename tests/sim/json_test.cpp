#include "sim/json.hpp"

#include "tests/catch.hpp"

namespace skt {

TEST_CASE("A value is written as it was put together, and read back as the same", "[unit]") {
  const Json json = {{"none", nullptr},
                     {"yes", true},
                     {"below", -3},
                     {"most", 18446744073709551615u},
                     {"third", 0.1},
                     {"whole", 2.0},
                     {"text", "a \"b\"\n\u00e9"},
                     {"list", {1, "x"}},
                     {"pairs", Json::array({Json::array({"a", 1})})},
                     {"empty", Json::object()}};
  const std::string text = R"({"none":null,"yes":true,"below":-3,"most":18446744073709551615,"third":0.1,"whole":2.0,)"
                           R"("text":"a \"b\"\né","list":[1,"x"],"pairs":[["a",1]],"empty":{}})";

  CHECK(json.dump() == text);
  CHECK(Json::parse(text) == json);
  CHECK(Json::parse(text).dump() == text);
  CHECK(Json({{"a", {1, 2}}}).dump(2) == "{\n  \"a\": [\n    1,\n    2\n  ]\n}");
  CHECK(Json(std::vector<double>{1, 0.5}).dump() == "[1.0,0.5]");
}

TEST_CASE("Members keep the order in which they came, and a second value replaces the first", "[unit]") {
  Json json;
  json["b"] = 1;
  json["a"] = 2;
  json["b"] = 3;
  json.update({{"c", 4}, {"a", 5}});
  CHECK(json.dump() == R"({"b":3,"a":5,"c":4})");
  CHECK(Json::parse(R"({"b":1,"a":2,"b":3})").dump() == R"({"b":3,"a":2})");
  json.erase("a");
  CHECK(json.dump() == R"({"b":3,"c":4})");
  CHECK(json.size() == 2);
  CHECK(json.value("b", 0) == 3);
  CHECK(json.value("d", 0) == 0);
}

TEST_CASE("Numbers are equal by value; objects also by order, and text is no number", "[unit]") {
  CHECK(Json(3) == Json(3.0));
  CHECK(Json(3) == Json(3u));
  CHECK(Json(3) == 3);
  CHECK_FALSE(Json("3") == Json(3));
  CHECK_FALSE(Json(true) == Json(1));
  CHECK_FALSE(Json::parse(R"({"a":1,"b":2})") == Json::parse(R"({"b":2,"a":1})"));
  CHECK(Json::parse("3").is_number_unsigned());
  CHECK_FALSE(Json::parse("-3").is_number_unsigned());
  CHECK_FALSE(Json::parse("3.0").is_number_integer());
}

TEST_CASE("What is not there, or of another type, is refused in words", "[unit]") {
  const Json json = {{"a", {1, 2}}};
  CHECK_THROWS_WITH(json.at("b"), "key 'b' not found");
  CHECK_THROWS_WITH(json.at("a").at(2), "array index 2 is out of range");
  CHECK_THROWS_WITH(json.at("a").at("b"), "type must be object, but is array");
  CHECK_THROWS_WITH(json.get<double>(), "type must be number, but is object");
  CHECK_THROWS_WITH(Json(1.5).get<std::string>(), "type must be string, but is number");
  CHECK_THROWS_WITH(Json(nullptr).get<bool>(), "type must be boolean, but is null");
  CHECK_THROWS_AS(Json::parse("{\"a\":"), JsonError);
  CHECK_THROWS_AS(Json("\xff").dump(), JsonError);
  CHECK(Json::parse_or_null("{\"a\":").is_null());
}

TEST_CASE("The first difference of two values is found with its place", "[unit]") {
  const auto difference = [](const char* left, const char* right) {
    const auto found = json_difference(Json::parse(left), Json::parse(right));
    if (!found) return std::string("none");
    const auto text = [](const std::optional<Json>& value) { return value ? value->dump() : "nothing"; };
    return found->place + ": " + text(found->left) + ", " + text(found->right);
  };
  CHECK(difference(R"({"a":1,"b":[1,{"c":2}]})", R"({"a":1,"b":[1,{"c":3}]})") == "b/1/c: 2, 3");
  CHECK(difference(R"({"a":1,"b":2})", R"({"b":3})") == "a: 1, nothing");
  CHECK(difference(R"({"b":2})", R"({"a":1,"b":2})") == "a: nothing, 1");
  CHECK(difference("[1,2,3]", "[1]") == "2: 3, nothing");
  CHECK(difference("[1]", "[1,2,3]") == "-: nothing, 2");
  CHECK(difference(R"([{"a":1}])", R"([[1]])") == R"(0: {"a":1}, [1])");
  CHECK(difference(R"([{"a":1,"b":2}])", R"([{"b":2,"a":1}])") == "none");
}

}  // namespace skt
