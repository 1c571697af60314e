#include "faults.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "hash.hpp"
#include "nearest.hpp"

namespace standin_cann {
namespace {

using Json = nlohmann::json;
using Reader = std::function<void(const Json&)>;

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

std::string nearest_to(const std::string& word, const std::vector<std::string>& known) {
  return " '" + word + "'; did you mean '" + standin::nearest(word, known) + "'?";
}

// Every member of the object goes to its reader; one without is refused.
void read_object(const Json& object, const std::string& where, const std::map<std::string, Reader>& readers) {
  if (!object.is_object()) refuse(where + ": an object {...} is wanted, not " + object.dump());
  std::vector<std::string> known;
  for (const auto& [key, reader] : readers) known.push_back(key);
  for (const auto& [key, value] : object.items()) {
    if (!readers.contains(key)) refuse(where + ": unknown key" + nearest_to(key, known));
    try {
      readers.at(key)(value);
    } catch (const Json::exception&) {
      refuse(where + "." + key + ": " + value.dump() + " is of the wrong kind");
    }
  }
}

template <class Number>
Reader to(Number& number, double least, double most, const std::string& where) {
  return [&number, least, most, where](const Json& value) {
    if (!value.is_number() || (std::is_integral_v<Number> && !value.is_number_integer()) || value.get<double>() < least ||
        value.get<double>() > most)
      refuse(where + ": " + value.dump() + " is not a number in its range");
    value.get_to(number);
  };
}

Fault read_fault(const Json& json, const std::string& where, const std::vector<std::string>& operators) {
  constexpr double kMany = 1e9;
  Fault fault;
  read_object(json, where,
              {{"op", [&](const Json& value) { value.get_to(fault.op); }},
               {"relative", to(fault.relative, -kMany, kMany, where + ".relative")},
               {"additive", to(fault.additive, -kMany, kMany, where + ".additive")},
               {"fraction", to(fault.fraction, 0, 1, where + ".fraction")},
               {"nan_from_call", to(fault.nan_from_call, 1, kMany, where + ".nan_from_call")},
               {"crash_at_call", to(fault.crash_at_call, 1, kMany, where + ".crash_at_call")},
               {"when", [&](const Json& when) {
                  read_object(when, where + ".when",
                              {{"flag", [&](const Json& value) { fault.flag = value.get<std::string>(); }},
                               {"is", [&](const Json& value) { fault.is = value.get<std::string>(); }}});
                  if (!fault.flag || !fault.is) refuse(where + ".when: both `flag` and `is` are wanted");
                }}});
  if (std::find(operators.begin(), operators.end(), fault.op) == operators.end())
    refuse(where + ".op: the stand-in has no operator" + nearest_to(fault.op, operators));
  if (fault.relative == 0 && fault.additive == 0 && fault.nan_from_call == 0 && fault.crash_at_call == 0)
    refuse(where + ": nothing goes wrong; one of relative, additive, nan_from_call, crash_at_call is wanted");
  return fault;
}

}  // namespace

Plan read_plan(const char* file, const std::vector<std::string>& operators) {
  Plan plan;
  if (!file || !*file) return plan;
  try {
    std::ifstream in(file);
    if (!in) refuse("cannot be read");
    const Json json = Json::parse(in);
    read_object(
        json, "the file",
        {{"seed", to(plan.seed, 0, 1e15, "seed")},
         {"hf32_bits_lost", to(plan.hf32_bits_lost, 0, 22, "hf32_bits_lost")},
         {"rounding",
          [&](const Json& value) {
            if (value.is_number()) return to(plan.rounding.size, 0, 1, "rounding")(value);
            read_object(value, "rounding",
                        {{"size", to(plan.rounding.size, 0, 1, "rounding.size")},
                         {"products", to(plan.rounding.products, 0, 1, "rounding.products")}});
          }},
         {"faults", [&](const Json& value) {
            if (!value.is_array()) refuse("faults: a list [...] is wanted, not " + value.dump());
            for (const Json& one : value)
              plan.faults.push_back(read_fault(one, "faults[" + std::to_string(plan.faults.size()) + "]", operators));
          }}});
  } catch (const std::exception& mistake) {
    std::fprintf(stderr, "standin-cann: %s: %s\n", file, mistake.what());
    std::_Exit(2);
  }
  return plan;
}

void spoil(const Fault& fault, std::uint64_t seed, long call, float* x, const float* before, std::size_t count) {
  if (fault.flag) {
    const char* value = std::getenv(fault.flag->c_str());
    if ((value ? value : "") != *fault.is) return;
  }
  using standin::mix;
  if (standin::unit(mix(mix(seed) ^ mix(fault.op) ^ static_cast<std::uint64_t>(call))) >= fault.fraction) return;
  const bool not_a_number = fault.nan_from_call > 0 && call >= fault.nan_from_call;
  for (std::size_t i = 0; i < count; ++i) {
    const double from = before ? before[i] : 0;
    const double wrong = from + (x[i] - from) * (1 + fault.relative) + fault.additive;
    x[i] = not_a_number ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(wrong);
  }
}

void interrupt(const Fault& fault, long call) {
  if (fault.crash_at_call != call) return;
  std::fprintf(stderr, "standin-cann: %s crashes at call %ld, as planted\n", fault.op.c_str(), call);
  std::abort();
}

}  // namespace standin_cann
