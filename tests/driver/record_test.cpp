#include "driver/keep/record.hpp"

#include <limits>

#include "tests/catch.hpp"

namespace bisectd::driver::keep {

enum class Colour { dark_red, green };
struct Leaf {
  int number = 0;
  double size = 0.5;
};
struct Tree : Leaf {
  Colour colour = Colour::green;
  std::string name;
  bool tall = false;
  std::optional<double> age;
  std::vector<Leaf> leaves;
  std::map<std::string, std::optional<std::int64_t>> steps;
  int unsaid = 7;
};
BOOST_DESCRIBE_ENUM(Colour, dark_red, green)
BOOST_DESCRIBE_STRUCT(Leaf, (), (number, size))
BOOST_DESCRIBE_STRUCT(Tree, (Leaf), (colour, name, tall, age, leaves, steps))

namespace {

using nlohmann::json;

TEST_CASE("a record is written and read again, members of its base among them, what is empty left out") {
  Tree tree;
  tree.number = -3;
  tree.colour = Colour::dark_red;
  tree.unsaid = 1;
  json small = record("tree", tree);
  CHECK(small ==
        json::parse(R"({"kind": "tree", "number": -3, "size": 0.5, "colour": "dark-red", "name": "", "tall": false})"));
  tree.name = "elm";
  tree.tall = true;
  tree.age = 2.5;
  tree.leaves = {{1, 0.25}, {2, 4}};
  tree.steps = {{"loss", 20}, {"accuracy", std::nullopt}};
  const Tree again = read_as<Tree>(json::parse(record("tree", tree).dump()));
  CHECK((again.number == -3 && again.colour == Colour::dark_red && again.name == "elm" && again.tall && again.age == 2.5));
  REQUIRE(again.leaves.size() == 2);
  CHECK((again.leaves[1].number == 2 && again.leaves[1].size == 4));
  CHECK(again.steps == decltype(tree.steps){{"loss", 20}});
  CHECK(again.unsaid == 7);
  read(small, tree);  // told of again: what is left out there is gone
  CHECK((!tree.age && tree.leaves.empty() && tree.steps.empty()));
}

TEST_CASE("what JSON cannot say: NaN is null, and leaves the default") {
  const json text = json::parse(json(written(Leaf{1, std::numeric_limits<double>::quiet_NaN()})).dump());
  CHECK(text["size"].is_null());
  CHECK(read_as<Leaf>(text).size == 0.5);
  Tree tree;
  tree.age = std::numeric_limits<double>::infinity();
  CHECK_FALSE(read_as<Tree>(json::parse(json(written(tree)).dump())).age);
}

TEST_CASE("a record that does not fit is refused") {
  const json good = written(Tree{});
  const auto with = [&](const char* key, const json& value) {
    json bad = good;
    bad[key] = value;
    return bad;
  };
  CHECK_NOTHROW(read_as<Tree>(good));
  for (const char* key : {"number", "size", "colour", "name", "tall"}) {
    json bad = good;
    bad.erase(key);
    CHECK_THROWS(read_as<Tree>(bad));
  }
  for (const json& bad : {with("number", 1.5), with("number", 9e99), with("colour", "dark_red"), with("colour", 1),
                          with("name", 1), with("tall", 1), with("age", "old"), with("leaves", json::object()),
                          with("steps", json::array()), with("leaves", {1})})
    CHECK_THROWS(read_as<Tree>(bad));
}

}  // namespace
}  // namespace bisectd::driver::keep
