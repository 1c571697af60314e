// A key of an experiment file is declared once: where its value goes, of which kind it is, one line of documentation, and
// what it touches when a run goes on. Its reading, the resolved text, the schema and the list of keys in the documents
// follow.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "configs/reading.hpp"

namespace bisectd::configs {

using Folder = std::filesystem::path;  ///< of the experiment: paths in its resolved text are relative to it
using Texts = std::vector<Placed<std::string>>;
using Variables = std::map<std::string, Placed<std::string>>;

/// All that is known of a sort of values.
template <class T>
struct Kind {
  std::function<bool(const Value&, const Where&, T&)> read;  ///< false, and a problem, for what is no such value
  std::function<Value(const T&, const Folder&)> write;       ///< for the resolved experiment; null: nothing is written
  Shape shape;
  std::function<std::string(const T&)> shown = nullptr;  ///< of a default, in JSON; absent: as it is written

  Kind&& shaped(const char* json) && {
    shape.json = json;
    return std::move(*this);
  }
  /// With a further check of each right value: (Value, Where, T).
  Kind&& checked(std::function<void(const Value&, const Where&, const T&)> check) && {
    read = [before = std::move(read), check = std::move(check)](const Value& value, const Where& where, T& to) {
      if (!before(value, where, to)) return false;
      check(value, where, to);
      return true;
    };
    return std::move(*this);
  }
};

/// From a struct to one of its members.
using ToMember = std::function<const void*(const void*)>;

/// The types of structs and members are gone here, so that a key costs the compiler nothing of its own.
struct Key : KeyFacts {
  using Read = std::function<bool(const Value&, const Where&, void* to)>;
  using Write = std::function<Value(const void* it, const Folder&)>;

  Read read = nullptr;  ///< null: only the resolved experiment has it
  Write write = nullptr;
  ToMember part = nullptr;  ///< of the block's struct, which these functions are given; null: the whole

  const void* part_of(const void* it) const { return part ? part(it) : it; }

  Key&& require(const char* hint) &&;
  Key&& touching(Touches what) &&;
  Key&& or_none() &&;         ///< the word `none` takes away what a preset gave
  Key&& unwritten() &&;       ///< the resolved experiment is without it
  Key&& unless_default() &&;  ///< written only where it is not what it is by default
  template <class T>
  Key&& written(std::function<Value(const T&)> other) && {
    write = [other](const void* it, const Folder&) { return other(*static_cast<const T*>(it)); };
    return std::move(*this);
  }
};

// A member may hold its value with its place, or none, or as another sort of number.
template <class M>
concept Optional = requires(M m) { m.has_value(); };
template <class M>
concept WithPlace = requires(M m) { m.value, m.place; };

template <class K, class M>
void put(K value, const Place& place, M& to) {
  if constexpr (std::is_same_v<M, K>) to = std::move(value);
  else if constexpr (std::is_arithmetic_v<M>) to = static_cast<M>(value);
  else if constexpr (Optional<M>) put(std::move(value), place, to.emplace());
  else if constexpr (WithPlace<M>) to = {std::move(value), place};
  else if constexpr (std::is_same_v<K, Texts>)
    for (auto& text : value) to.push_back(std::move(text.value));
  else
    for (auto& [name, text] : value) to.emplace(name, std::move(text.value));
}

template <class K, class M>
std::optional<K> got(const M& from) {
  K value{};
  if constexpr (std::is_same_v<M, K>) return from;
  else if constexpr (std::is_arithmetic_v<M>) return static_cast<K>(from);
  else if constexpr (Optional<M>) return from ? got<K>(*from) : std::nullopt;
  else if constexpr (WithPlace<M>) return from.value;
  else if constexpr (std::is_same_v<K, Texts>)
    for (const auto& text : from) value.push_back({text, {}});
  else
    for (const auto& [name, text] : from) value[name] = {text, {}};
  return value;
}

template <class M, class K>
Key key_at(ToMember at, const M& by_default, const char* name, const Kind<K>& kind, const char* doc) {
  Key key{{.name = name, .doc = doc, .shape = kind.shape}};
  if (kind.write)
    key.write = [at, write = kind.write](const void* it, const Folder& folder) {
      const auto value = got<K>(*static_cast<const M*>(at(it)));
      Value written = value ? write(*value, folder) : Value{};
      const bool is_empty = written.kind == Value::Kind::scalar && written.text.empty();
      return is_empty && !Optional<M> ? Value{} : written;
    };
  if constexpr (!Optional<M>) {
    const K value = *got<K>(by_default);
    key.fallback = kind.shown ? kind.shown(value) : kind.write ? json_of(kind.write(value, {})) : "";
  }
  key.read = [at, read = kind.read](const Value& value, const Where& where, void* to) {
    K right{};
    if (!read(value, where, right)) return false;
    put(std::move(right), value.place, *static_cast<M*>(const_cast<void*>(at(to))));
    return true;
  };
  return key;
}

/// A struct's base begins where the struct does: `member` may be one of its base.
template <class T, class M>
ToMember to_member(M T::*member) {
  return [member](const void* it) -> const void* { return &(static_cast<const T*>(it)->*member); };
}

template <class T>
const T& by_default() {
  static const T it{};
  return it;
}

template <class T, class M, class K>
Key key(const char* name, M T::*member, const Kind<K>& kind, const char* doc) {
  return key_at<M, K>(to_member(member), by_default<T>().*member, name, kind, doc);
}

/// A key whose value is read and written by hand; it may be no single member.
template <class T>
Key special(const char* name, Shape shape, std::function<bool(const Value&, const Where&, T&)> read,
            std::function<Value(const T&, const Folder&)> write, const char* doc) {
  Key key{{.name = name, .doc = doc, .shape = std::move(shape)}};
  key.read = [read](const Value& value, const Where& where, void* to) { return read(value, where, *static_cast<T*>(to)); };
  if (write) key.write = [write](const void* it, const Folder& folder) { return write(*static_cast<const T*>(it), folder); };
  return key;
}

/// A key that `settle` of the block reads, since it rests on other keys.
Key later(const char* name, Shape shape, const char* doc);

/// What only the resolved experiment has.
template <class T>
Key only_written(const char* name, std::function<Value(const T&)> write) {
  return Key{{.name = name}}.written<T>(write);
}

/// Keys of a member that stand among those of its struct.
template <class T, class M>
std::vector<Key> keys_of(M T::*member, std::vector<Key> keys) {
  for (Key& key : keys)
    key.part = [outer = to_member(member), inner = key.part](const void* it) {
      return inner ? inner(outer(it)) : outer(it);
    };
  return keys;
}

std::vector<Key> joined(std::vector<Key> keys, const std::vector<Key>& further);

/// Keys and values that belong together; what holds for a block of any struct.
struct AnyBlock {
  std::string name;   ///< in the schema
  std::string title;  ///< of its table in the documents; empty: it has none
  std::vector<Key> keys;
  OneOf one_of = {};
  std::vector<std::string> any_of = {};  ///< one of these is needed at least; `settle` sees to it
  std::string expected = "";             ///< what a value that is no map is told to be
  bool whole = false;                    ///< no file says a part of it, so the schema can say what is missing
  bool one_line = false;                 ///< as the resolved experiment has it

  /// True if nothing was wrong with the keys themselves. Keys that `left_out` names are right words, and not looked at.
  bool read(const Value& value, const Where& where, void* to, const std::function<void(MapReader&)>& settle,
            const std::vector<std::string>& left_out = {}) const;
  Value write(const void* it, const Folder& folder) const;
  Declared declared() const;
};

template <class T>
struct Block : AnyBlock {
  std::function<void(MapReader&, T&)> settle = nullptr;  ///< what keys say of each other, and reads what rests on others

  bool read(const Value& value, const Where& where, T& to) const {
    if constexpr (requires { to.place; }) to.place = value.place;
    return AnyBlock::read(value, where, &to, [&](MapReader& reader) {
      if (settle) settle(reader, to);
    });
  }
  Value write(const T& it, const Folder& folder) const { return AnyBlock::write(&it, folder); }
};

/// A block as the value of a key.
template <class T>
Kind<T> block(const Block<T>& (*get)()) {
  return {
      .read = [get](const Value& value, const Where& where, T& to) { return get().read(value, where, to), true; },
      .write = [get](const T& it, const Folder& folder) { return get().write(it, folder); },
      .shape = {.json = R"({"$ref": "#/definitions/)" + get().name + "\"}", .block = [get] { return get().declared(); }}};
}

/// A block whose values are members of the same struct.
template <class T>
Key within(const char* name, const Block<T>& (*get)(), const char* doc) {
  const Kind<T> kind = block(get);
  return special<T>(name, kind.shape, kind.read, kind.write, doc);
}

/// NAME: value pairs, as a map of the resolved experiment.
template <class Entries, class Write>
Value map_value(const Entries& entries, Write write, bool one_line = false) {
  Value map{.kind = Value::Kind::map, .one_line = one_line};
  for (const auto& [name, value] : entries) map.entries.push_back({name, {}, write(value)});
  return map;
}

}  // namespace bisectd::configs
