// SPDX-License-Identifier: Apache-2.0
#include "sim/record/frames/json_shape.hpp"

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
enum class ValueShape : std::uint8_t {
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
    ValueShape shape;
};

constexpr std::array keys{Key{"file", ValueShape::text},
                          Key{"project", ValueShape::text},
                          Key{"scenario", ValueShape::text},
                          Key{"title", ValueShape::text},
                          Key{"problem", ValueShape::text},
                          Key{"kernel", ValueShape::text},
                          Key{"mode", ValueShape::text},
                          Key{"l2", ValueShape::free},  // in metadata a state, in figures a resource
                          Key{"kind", ValueShape::text},
                          Key{"name", ValueShape::text},
                          Key{"entry", ValueShape::text},
                          Key{"label", ValueShape::text},
                          Key{"role", ValueShape::text},
                          Key{"type", ValueShape::text},
                          Key{"cube_type", ValueShape::text},
                          Key{"vector_type", ValueShape::text},
                          Key{"text", ValueShape::text},
                          Key{"message", ValueShape::text},
                          Key{"outcome", ValueShape::text},
                          Key{"error", ValueShape::text},
                          Key{"severity", ValueShape::text},
                          Key{"meaning", ValueShape::text},
                          Key{"buffer", ValueShape::text},
                          Key{"pipe", ValueShape::text},
                          Key{"origin", ValueShape::text},
                          Key{"warm_up", ValueShape::flag},
                          Key{"passed", ValueShape::flag},
                          Key{"checked", ValueShape::flag},
                          Key{"stops", ValueShape::flag},
                          Key{"stated", ValueShape::flag},
                          Key{"on", ValueShape::flag},
                          Key{"start", ValueShape::count},
                          Key{"end", ValueShape::count},
                          Key{"cycle", ValueShape::count},
                          Key{"lane", ValueShape::count},
                          Key{"blocks", ValueShape::count},
                          Key{"first_core", ValueShape::count},
                          Key{"cores_end", ValueShape::count},
                          Key{"failures", ValueShape::count},
                          Key{"elements", ValueShape::count},
                          Key{"instructions", ValueShape::count},
                          Key{"arithmetic_cycles", ValueShape::count},
                          Key{"cores_used", ValueShape::count},
                          Key{"line", ValueShape::count},
                          Key{"count", ValueShape::count},
                          Key{"spare", ValueShape::count},
                          Key{"cycles", ValueShape::count},
                          Key{"clock_ghz", ValueShape::number},
                          Key{"min", ValueShape::number},
                          Key{"max", ValueShape::number},
                          Key{"time_us", ValueShape::number},
                          Key{"work", ValueShape::object},
                          Key{"auto_sync", ValueShape::object},
                          Key{"numerics", ValueShape::object},
                          Key{"simulator", ValueShape::object},
                          Key{"later", ValueShape::object},
                          Key{"earlier", ValueShape::object},
                          Key{"hazards", ValueShape::objects},
                          Key{"executions", ValueShape::objects_or_count},
                          Key{"launches", ValueShape::objects},
                          Key{"outputs", ValueShape::objects},
                          Key{"places", ValueShape::objects},
                          Key{"allowed", ValueShape::texts},
                          Key{"chip", ValueShape::free},
                          Key{"waits", ValueShape::free},
                          Key{"variant", ValueShape::free},
                          Key{"knobs", ValueShape::free},
                          Key{"overrides", ValueShape::free},
                          Key{"sources", ValueShape::free},
                          Key{"knob_ranges", ValueShape::free},
                          Key{"network", ValueShape::free},
                          Key{"step", ValueShape::free},  // tasks are called as users please
                          Key{"machine", ValueShape::free},
                          Key{"plots", ValueShape::free},
                          Key{"report", ValueShape::free}};

bool is_count(const json& value) {
    constexpr double most = 9e15;  // a double holds all integers up to here
    if (value.is_number_unsigned()) {
        return true;
    }
    return value.is_number() && value.get<double>() >= 0 && value.get<double>() < most;
}

bool fits(const json& value, ValueShape shape) {
    switch (shape) {
        case ValueShape::text:
            return value.is_string();
        case ValueShape::flag:
            return value.is_boolean();
        case ValueShape::count:
            return is_count(value);
        case ValueShape::number:
            return value.is_number();
        case ValueShape::object:
            return value.is_object();
        case ValueShape::list:
            return value.is_array();
        case ValueShape::objects:
            return value.is_array() && std::ranges::all_of(value, &json::is_object);
        case ValueShape::texts:
            return value.is_array() && std::ranges::all_of(value, &json::is_string);
        case ValueShape::objects_or_count:  // figures tell how many there are
            return is_count(value) || fits(value, ValueShape::objects);
        case ValueShape::free:
            return true;
    }
    return false;
}

std::string_view words_for(ValueShape shape) {
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
    if (known.shape != ValueShape::free) {
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
    if (values.contains("l2") && !values["l2"].is_string()) {
        throw UserError{"the recording is damaged: \"l2\" must be a text"};
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
