// JSON and not YAML: Paddle's libraries carry a yaml-cpp of their own, whose unique symbols would be shared with ours.
#include "fault_file.hpp"

#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "nearest.hpp"
#include "ops.hpp"

namespace standin {
namespace {

using Json = nlohmann::json;

struct Mistake : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  return "; did you mean '" + nearest(word, known) + "'?";
}

double number(const Json& value, const std::string& where, double least, double most) {
  if (!value.is_number()) throw Mistake(where + ": a number is wanted, not " + value.dump());
  const double x = value.get<double>();
  if (x < least || x > most) throw Mistake(where + ": " + value.dump() + " is out of range");
  return x;
}

double any_number(const Json& value, const std::string& where) { return number(value, where, -1e30, 1e30); }

long call_number(const Json& value, const std::string& where) {
  if (!value.is_number_integer() || value.get<long>() < 1)
    throw Mistake(where + ": the number of a call is wanted (from 1), not " + value.dump());
  return value.get<long>();
}

bool truth(const Json& value, const std::string& where) {
  if (!value.is_boolean()) throw Mistake(where + ": true or false is wanted, not " + value.dump());
  return value.get<bool>();
}

std::string text(const Json& value, const std::string& where) {
  if (!value.is_string()) throw Mistake(where + ": a text is wanted, not " + value.dump());
  return value.get<std::string>();
}

Op& op_named(const Json& value, const std::string& where) {
  const std::string name = text(value, where);
  if (Op* op = Ops::instance().find(name)) return *op;
  throw Mistake(where + ": the stand-in has no kernel for '" + name + "'" + suggestion(name, Ops::instance().names()));
}

using Reader = std::function<void(const Json&, const std::string& where)>;

// Hands every member of an object to its reader; a member without one is a mistake.
void read_object(const Json& object, const std::string& where, const std::map<std::string, Reader>& readers) {
  if (!object.is_object()) throw Mistake(where + ": an object {...} is wanted, not " + object.dump());
  std::vector<std::string> known;
  for (const auto& reader : readers) known.push_back(reader.first);
  for (const auto& [key, value] : object.items()) {
    const auto reader = readers.find(key);
    const std::string place = where + "." + key;
    if (reader == readers.end()) throw Mistake(place + ": unknown key '" + key + "'" + suggestion(key, known));
    reader->second(value, place);
  }
}

void read_condition(const Json& object, const std::string& where, Fault& fault) {
  FlagIs flag;
  bool has_value = false;
  read_object(object, where,
              {{"flag", [&](const Json& v, const std::string& w) { flag.name = text(v, w); }},
               {"is",
                [&](const Json& v, const std::string& w) {
                  has_value = true;
                  flag.as_switch = v.is_boolean();
                  flag.value = v.is_boolean() ? v.dump() : text(v, w);
                }},
               {"on_device", [&](const Json& v, const std::string& w) { fault.when_on_device = op_named(v, w).fluid_name; }},
               {"on_cpu", [&](const Json& v, const std::string& w) { fault.when_on_cpu = op_named(v, w).fluid_name; }}});
  if (flag.name.empty() == has_value) throw Mistake(where + ": 'flag' and 'is' go together");
  if (has_value) fault.when_flag = flag;
  if (!has_value && !fault.when_on_device && !fault.when_on_cpu) throw Mistake(where + ": an empty condition");
}

void read_fault(const Json& object, const std::string& where) {
  Op* op = nullptr;
  Fault fault;
  int spoilings = 0;
  const auto spoiling = [&](auto read) {
    return [&spoilings, read](const Json& v, const std::string& w) { ++spoilings, read(v, w); };
  };
  read_object(
      object, where,
      {{"op", [&](const Json& v, const std::string& w) { op = &op_named(v, w); }},
       {"when", [&](const Json& v, const std::string& w) { read_condition(v, w, fault); }},
       {"fraction", [&](const Json& v, const std::string& w) { fault.fraction = number(v, w, 0, 1); }},
       {"relative", spoiling([&](const Json& v, const std::string& w) { fault.relative = any_number(v, w); })},
       {"additive", spoiling([&](const Json& v, const std::string& w) { fault.additive = any_number(v, w); })},
       {"round_to_half", spoiling([&](const Json& v, const std::string& w) { fault.round_to_half = truth(v, w); })},
       {"flush_below", spoiling([&](const Json& v, const std::string& w) { fault.flush_below = number(v, w, 0, 1e30); })},
       {"nan_from_call", spoiling([&](const Json& v, const std::string& w) { fault.nan_from_call = call_number(v, w); })},
       {"crash_at_call", spoiling([&](const Json& v, const std::string& w) { fault.crash_at_call = call_number(v, w); })},
       {"hang_at_call", spoiling([&](const Json& v, const std::string& w) { fault.hang_at_call = call_number(v, w); })},
       {"overflow_at_call",
        spoiling([&](const Json& v, const std::string& w) { fault.overflow_at_call = call_number(v, w); })}});
  if (!op) throw Mistake(where + ": 'op' is missing");
  if (spoilings == 0) throw Mistake(where + ": nothing is said to go wrong, for example \"relative\": 0.05");
  if (fault.overflow_at_call && op->phi_name != "check_finite_and_unscale")
    throw Mistake(where + ".overflow_at_call: only 'check_finite_and_unscale' reports overflows");
  op->faults.push_back(fault);
}

void read_noise(const Json& object, const std::string& where) {
  Noise& noise = plan().noise;
  read_object(object, where,
              {{"relative", [&](const Json& v, const std::string& w) { noise.relative = number(v, w, 0, 1); }},
               {"ops", [&](const Json& v, const std::string& w) {
                  if (!v.is_array()) throw Mistake(w + ": a list of operators is wanted, not " + v.dump());
                  for (const auto& name : v) noise.ops.push_back(op_named(name, w).fluid_name);
                }}});
  if (noise.relative == 0 || noise.ops.empty()) throw Mistake(where + ": 'relative' and 'ops' are both needed");
}

void read_rounding(const Json& value, const std::string& where) {
  Rounding& rounding = plan().rounding;
  const auto size = [](const Json& v, const std::string& w) { return number(v, w, 0, 0.1); };
  if (!value.is_object()) {
    rounding.size = size(value, where);
    return;
  }
  read_object(value, where,
              {{"size", [&](const Json& v, const std::string& w) { rounding.size = size(v, w); }},
               {"products", [&](const Json& v, const std::string& w) { rounding.products = size(v, w); }}});
}

void read_at_exit(const Json& value, const std::string& where) {
  const std::string word = text(value, where);
  if (word != "hang" && word != "crash") throw Mistake(where + ": 'hang' or 'crash' is wanted, not '" + word + "'");
  plan().at_exit = word == "hang" ? AtExit::hang : AtExit::crash;
}

void read_file(const Json& file) {
  read_object(file, "",
              {{"faults",
                [](const Json& v, const std::string& w) {
                  if (!v.is_array()) throw Mistake(w + ": a list is wanted, not " + v.dump());
                  for (std::size_t i = 0; i < v.size(); ++i) read_fault(v[i], w + "[" + std::to_string(i) + "]");
                }},
               {"rounding", read_rounding},
               {"noise", read_noise},
               {"own_masks", [](const Json& v, const std::string& w) { plan().own_masks = truth(v, w); }},
               {"at_exit", read_at_exit},
               {"seed", [](const Json& v, const std::string& w) {
                  if (!v.is_number_unsigned()) throw Mistake(w + ": a whole number is wanted, not " + v.dump());
                  plan().seed = v.get<std::uint64_t>();
                }}});
}

}  // namespace

std::string plant_faults(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) return path + ": cannot be read";
  try {
    read_file(Json::parse(stream));
  } catch (const Mistake& mistake) {
    return path + ": " + (mistake.what() + (mistake.what()[0] == '.' ? 1 : 0));
  } catch (const Json::exception& error) {
    return path + ": " + error.what();
  }
  return "";
}

}  // namespace standin
