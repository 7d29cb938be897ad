// JSON for scripts and agents: raw integers, and ill-formed UTF-8 replaced by U+FFFD.
#include <nlohmann/json.hpp>

#include "jaxtrace/report.h"

namespace jaxtrace {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;  // A key that is renamed, removed or means something else raises it.

Json value(const Cell& cell) {
  return std::visit(
      [](const auto& held) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          return nullptr;
        } else {
          return held;
        }
      },
      cell);
}

Json rows(const Table& table) {
  Json result = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i].name] = value(row[i]);
    result.push_back(std::move(object));
  }
  return result;
}

void add(const Heading& heading, Json& text, Json& /*keys*/) {
  text.push_back(heading.text);
}

void add(const Prose& prose, Json& text, Json& /*keys*/) {
  text.push_back(prose.text);
}

void add(const Bullets& bullets, Json& text, Json& /*keys*/) {
  for (const std::string& item : bullets.items) text.push_back(item);
}

void add(const Preformatted& /*for people*/, Json& /*text*/, Json& /*keys*/) {}

void add(const Shown& /*for people*/, Json& /*text*/, Json& /*keys*/) {}

void add(const Table& table, Json& /*text*/, Json& keys) {
  keys[table.id] = rows(table);
}

void add(const Annex& annex, Json& text, Json& keys) {
  add(annex.table, text, keys);
}

void add(const Fact& fact, Json& /*text*/, Json& keys) {
  keys[fact.key] = value(fact.value);
}

void add(const Bundle& group, Json& text, Json& keys) {
  Json object = Json::object();
  for (const Fact& fact : group.facts) add(fact, text, object);
  for (const Table& table : group.tables) add(table, text, object);
  keys[group.key] = std::move(object);
}

}  // namespace

void write_json(const Report& report, std::ostream& out) {
  Json text = Json::array();
  Json keys = Json::object();
  for (const auto& block : report.blocks) {
    std::visit([&](const auto& kind) { add(kind, text, keys); }, block);
  }
  Json object = {{"schema", kSchema}, {"title", report.title}, {"text", std::move(text)}};
  object.update(keys);
  out << object.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace jaxtrace
