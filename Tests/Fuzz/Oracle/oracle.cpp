#include "JSONOracle.h"
#include <simdjson.h>

using namespace simdjson;

const size_t json_oracle_padding = SIMDJSON_PADDING;

JSONVerdict json_oracle_judge(const uint8_t *text, size_t length) {
  static dom::parser parser;
  dom::element root;
  switch (parser.parse(text, length, false).get(root)) {
    case SUCCESS: return JSONVerdictAccepted;
    case NUMBER_ERROR: return JSONVerdictNumber;
    case STRING_ERROR: return JSONVerdictString;
    default: return JSONVerdictRejected;
  }
}

// What a value looks like in the text; it comes with the white space after it.
static simdjson_result<std::string_view> raw_value(ondemand::value value) {
  ondemand::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (auto error = value.get_array().get(array)) return error;
    return array.raw_json();
  }
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (auto error = value.get_object().get(object)) return error;
    return object.raw_json();
  }
  return value.raw_json_token();
}

static bool append(std::string_view raw, const char *name, const char *text, JSONChild *children, size_t capacity,
                   ptrdiff_t &count) {
  if (size_t(count) == capacity) return false;
  size_t start = size_t(raw.data() - text);
  size_t size = raw.find_last_not_of(" \t\r\n") + 1;
  children[count++] = {name ? size_t(name - text) : 0, start, start + size};
  return true;
}

ptrdiff_t json_oracle_children(const uint8_t *bytes, size_t length, JSONChild *children, size_t capacity) {
  static ondemand::parser parser;
  auto text = reinterpret_cast<const char *>(bytes);
  ondemand::document document;
  if (parser.iterate(padded_string_view(text, length, length + SIMDJSON_PADDING)).get(document)) return -1;
  ptrdiff_t count = 0;
  std::string_view raw;
  ondemand::json_type type;
  if (document.type().get(type)) return -1;
  if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (document.get_array().get(array)) return -1;
    for (auto element : array) {
      if (raw_value(element.value()).get(raw) || !append(raw, nullptr, text, children, capacity, count)) return -1;
    }
  } else if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (document.get_object().get(object)) return -1;
    for (auto field : object) {
      ondemand::raw_json_string name;
      if (field.key().get(name) || raw_value(field.value()).get(raw)) return -1;
      if (!append(raw, name.raw(), text, children, capacity, count)) return -1;
    }
  }
  return count;
}
