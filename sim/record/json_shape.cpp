// SPDX-License-Identifier: Apache-2.0
#include "sim/record/json_shape.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "sim/base/error.hpp"
#include "sim/base/nesting.hpp"

namespace ascendsim::record {
namespace {

using nlohmann::json;

/// What a key's value must be. `free` is for others to judge: names that users chose, parameters of chips.
enum class Shape : std::uint8_t {
    text,
    flag,
    count,
    number,
    object,
    list,
    objects,
    texts,
    objects_or_count,
    free
};

struct Key {
    std::string_view name;
    Shape shape;
};

constexpr std::array keys{Key{"file", Shape::text},
                          Key{"project", Shape::text},
                          Key{"scenario", Shape::text},
                          Key{"title", Shape::text},
                          Key{"problem", Shape::text},
                          Key{"kernel", Shape::text},
                          Key{"mode", Shape::text},
                          Key{"l2", Shape::text},
                          Key{"kind", Shape::text},
                          Key{"name", Shape::text},
                          Key{"entry", Shape::text},
                          Key{"label", Shape::text},
                          Key{"role", Shape::text},
                          Key{"type", Shape::text},
                          Key{"text", Shape::text},
                          Key{"message", Shape::text},
                          Key{"outcome", Shape::text},
                          Key{"error", Shape::text},
                          Key{"severity", Shape::text},
                          Key{"meaning", Shape::text},
                          Key{"buffer", Shape::text},
                          Key{"pipe", Shape::text},
                          Key{"origin", Shape::text},
                          Key{"warm_up", Shape::flag},
                          Key{"passed", Shape::flag},
                          Key{"checked", Shape::flag},
                          Key{"stops", Shape::flag},
                          Key{"stated", Shape::flag},
                          Key{"on", Shape::flag},
                          Key{"start", Shape::count},
                          Key{"end", Shape::count},
                          Key{"cycle", Shape::count},
                          Key{"lane", Shape::count},
                          Key{"blocks", Shape::count},
                          Key{"first_core", Shape::count},
                          Key{"cores_end", Shape::count},
                          Key{"failures", Shape::count},
                          Key{"elements", Shape::count},
                          Key{"instructions", Shape::count},
                          Key{"arithmetic_cycles", Shape::count},
                          Key{"cores_used", Shape::count},
                          Key{"line", Shape::count},
                          Key{"count", Shape::count},
                          Key{"spare", Shape::count},
                          Key{"cycles", Shape::count},
                          Key{"clock_ghz", Shape::number},
                          Key{"min", Shape::number},
                          Key{"max", Shape::number},
                          Key{"time_us", Shape::number},
                          Key{"work", Shape::object},
                          Key{"auto_sync", Shape::object},
                          Key{"numerics", Shape::object},
                          Key{"simulator", Shape::object},
                          Key{"later", Shape::object},
                          Key{"earlier", Shape::object},
                          Key{"hazards", Shape::objects},
                          Key{"executions", Shape::objects_or_count},
                          Key{"launches", Shape::objects},
                          Key{"outputs", Shape::objects},
                          Key{"places", Shape::objects},
                          Key{"allowed", Shape::texts},
                          Key{"chip", Shape::free},
                          Key{"waits", Shape::free},
                          Key{"variant", Shape::free},
                          Key{"knobs", Shape::free},
                          Key{"overrides", Shape::free},
                          Key{"sources", Shape::free},
                          Key{"knob_ranges", Shape::free}};

bool is_count(const json& value) {
    constexpr double most = 9e15;  // a double holds all integers up to here
    if (value.is_number_unsigned()) {
        return true;
    }
    return value.is_number() && value.get<double>() >= 0 && value.get<double>() < most;
}

bool fits(const json& value, Shape shape) {
    switch (shape) {
        case Shape::text:
            return value.is_string();
        case Shape::flag:
            return value.is_boolean();
        case Shape::count:
            return is_count(value);
        case Shape::number:
            return value.is_number();
        case Shape::object:
            return value.is_object();
        case Shape::list:
            return value.is_array();
        case Shape::objects:
            return value.is_array() && std::ranges::all_of(value, &json::is_object);
        case Shape::texts:
            return value.is_array() && std::ranges::all_of(value, &json::is_string);
        case Shape::objects_or_count:  // figures tell how many there are
            return is_count(value) || fits(value, Shape::objects);
        case Shape::free:
            return true;
    }
    return false;
}

std::string_view words_for(Shape shape) {
    constexpr std::array<std::string_view, 10> words{"a text",
                                                     "true or false",
                                                     "a number, 0 or more",
                                                     "a number",
                                                     "an object",
                                                     "a list",
                                                     "a list of objects",
                                                     "a list of texts",
                                                     "a list of objects or their number",
                                                     "anything"};
    return words[static_cast<std::size_t>(shape)];
}

void check_members(json& values);

void check_value(const Key& known, json& value) {
    if (!fits(value, known.shape)) {
        throw UserError{"the recording is damaged: \"{}\" must be {}", known.name, words_for(known.shape)};
    }
    if (known.shape != Shape::free) {
        check_members(value);
    }
}

/// Null stands for what is not known, as does a key that is missing.
void check_members(json& values) {
    if (values.is_array()) {
        std::ranges::for_each(values, check_members);
    }
    if (!values.is_object()) {
        return;
    }
    for (auto at = values.begin(); at != values.end();) {
        const auto* const known = std::ranges::find(keys, at.key(), &Key::name);
        if (known == keys.end()) {
            check_members(*at++);
        } else if (at->is_null()) {
            at = values.erase(at);
        } else {
            check_value(*known, *at++);
        }
    }
}

/// The members that users named: knobs, settings, sources. Of a knob's range it is known what may be said.
void check_named(json& values) {
    for (const char* key : {"knobs", "overrides", "sources", "chip", "knob_ranges"}) {
        if (values.contains(key) && !values[key].is_object()) {
            throw UserError{"the recording is damaged: \"{}\" must be an object", key};
        }
    }
    if (const auto ranges = values.find("knob_ranges"); ranges != values.end()) {
        for (json& range : *ranges) {
            if (!range.is_object()) {
                throw UserError{"the recording is damaged: \"knob_ranges\" must be an object of objects"};
            }
            check_members(range);
        }
    }
}

}  // namespace

json checked_json(FrameType type, std::span<const std::byte> payload) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): text is bytes
    const std::string_view text{reinterpret_cast<const char*>(payload.data()), payload.size()};
    if (nested_deeper(text)) {
        throw UserError{"the recording is damaged: a frame holds JSON nested deeper than {} levels",
                        most_nesting};
    }
    json values = json::parse(text, nullptr, false);
    if (type == FrameType::totals && values.is_null()) {
        return values;  // a run of which nothing was summed up
    }
    if (values.is_discarded() || !values.is_object()) {
        throw UserError{"the recording is damaged: a frame holds broken JSON"};
    }
    check_members(values);
    if (type == FrameType::metadata) {
        check_named(values);
    }
    return values;
}

}  // namespace ascendsim::record
