// Records of a journal as JSON, by what BOOST_DESCRIBE_STRUCT and BOOST_DESCRIBE_ENUM say of their types: each member is a
// key of its name, each value of an enumeration its name. An optional, a list or a table that is empty is left out, and
// empty where its key is missing; everything else must be there. JSON has no NaN: a number that is null stays what it was.
#pragma once

#include <algorithm>
#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <concepts>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "driver/keep/whole_number.hpp"

namespace bisectd::driver::keep {

/// What is one word of its own: static std::string text(const T&); static T value(const std::string&), which throws.
template <class T>
struct Text;
template <class T>
concept IsText = requires(const T& value) { Text<T>::text(value); };

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;
template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = true;
template <class T>
constexpr bool is_table = false;
template <class T>
constexpr bool is_table<std::map<std::string, T>> = true;

void for_each_member(auto& object, auto call) {
  using Members = boost::describe::describe_members<std::remove_cvref_t<decltype(object)>,
                                                    boost::describe::mod_public | boost::describe::mod_inherited>;
  boost::mp11::mp_for_each<Members>([&](auto member) { call(member.name, object.*member.pointer); });
}

/// As journals and people write it: "as-is" is Role::as_is.
template <class Enumeration>
std::string word_of(Enumeration value) {
  std::string word = boost::describe::enum_to_string(value, "");
  std::ranges::replace(word, '_', '-');
  return word;
}

/// Throws std::invalid_argument for a word that is none of its values.
template <class Enumeration>
Enumeration value_of(const std::string& word) {
  std::optional<Enumeration> value;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<Enumeration>>([&](auto each) {
    if (word_of(each.value) == word) value = each.value;
  });
  if (!value) throw std::invalid_argument("unknown word: " + word);
  return *value;
}

template <class T>
nlohmann::json written(const T& value) {
  nlohmann::json to;
  if constexpr (std::is_enum_v<T>) {
    to = word_of(value);
  } else if constexpr (IsText<T>) {
    to = Text<T>::text(value);
  } else if constexpr (boost::describe::has_describe_members<T>::value) {
    to = nlohmann::json::object();
    for_each_member(value, [&](const char* name, const auto& member) {
      using Member = std::remove_cvref_t<decltype(member)>;
      if constexpr (is_optional<Member>) {
        if (member) to[name] = written(*member);
      } else if constexpr (is_list<Member> || is_table<Member>) {
        if (!member.empty()) to[name] = written(member);
      } else {
        to[name] = written(member);
      }
    });
  } else if constexpr (is_list<T>) {
    to = nlohmann::json::array();
    for (const auto& each : value) to.push_back(written(each));
  } else if constexpr (is_table<T>) {
    to = nlohmann::json::object();
    for (const auto& [name, each] : value)
      if (nlohmann::json entry = written(each); !entry.is_null()) to[name] = std::move(entry);
  } else if constexpr (is_optional<T>) {
    if (value) to = written(*value);
  } else {
    to = value;
  }
  return to;
}

/// Throws what nlohmann::json throws, and std::invalid_argument.
template <class T>
void read(const nlohmann::json& from, T& value) {
  if constexpr (std::is_enum_v<T>) {
    value = value_of<T>(from.get<std::string>());
  } else if constexpr (IsText<T>) {
    value = Text<T>::value(from.get<std::string>());
  } else if constexpr (boost::describe::has_describe_members<T>::value) {
    for_each_member(value, [&](const char* name, auto& member) {
      using Member = std::remove_cvref_t<decltype(member)>;
      constexpr bool may_be_missing = is_optional<Member> || is_list<Member> || is_table<Member>;
      if (may_be_missing && !from.contains(name)) member = Member();
      else read(from.at(name), member);
    });
  } else if constexpr (is_list<T>) {
    value.clear();
    for (const nlohmann::json& each : from.get_ref<const nlohmann::json::array_t&>()) read(each, value.emplace_back());
  } else if constexpr (is_table<T>) {
    value.clear();
    for (const auto& [name, each] : from.get_ref<const nlohmann::json::object_t&>()) read(each, value[name]);
  } else if constexpr (is_optional<T>) {
    value.reset();
    if (!from.is_null()) read(from, value.emplace());
  } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    value = whole_number<T>(from);
  } else if constexpr (std::floating_point<T>) {
    if (!from.is_null()) from.get_to(value);
  } else {
    from.get_to(value);
  }
}

template <class T>
T read_as(const nlohmann::json& from) {
  T value{};
  read(from, value);
  return value;
}

/// A record of this kind with the members of `value`.
template <class T>
nlohmann::json record(const char* kind, const T& value) {
  nlohmann::json record = written(value);
  record["kind"] = kind;
  return record;
}

}  // namespace bisectd::driver::keep
