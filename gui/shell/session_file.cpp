// SPDX-License-Identifier: Apache-2.0
// The stored form of the view state.
#include <algorithm>
#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

#include "gui/shell/view_state.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json_text.hpp"
#include "sim/process/whole_file.hpp"

namespace ascendsim::gui {
namespace {

using nlohmann::json;

constexpr int session_version = 1;

json range_json(const TimeRange& range) {
    return json::array({range.begin, range.end});
}

json optional_range(const std::optional<TimeRange>& range) {
    return range ? range_json(*range) : json();
}

TimeRange read_range(const json& value, std::string_view key) {
    const bool pair = value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number();
    const TimeRange range = pair ? TimeRange{value[0].get<double>(), value[1].get<double>()} : TimeRange{};
    if (!pair || !std::isfinite(range.begin) || !std::isfinite(range.end) || range.begin >= range.end) {
        throw UserError{
            "session: '{}' is {}, expected [begin, end] in cycles with begin below end", key, value.dump()};
    }
    return range;
}

std::optional<TimeRange> read_optional_range(const json& value, std::string_view key) {
    return value.is_null() ? std::nullopt : std::optional{read_range(value, key)};
}

/// Calls `read` with the value of a key if it is there; a value of a wrong type is the user's error.
template <class Read>
void with(const json& from, const char* key, Read read) {
    const auto found = from.find(key);
    if (found == from.end()) {
        return;
    }
    try {
        read(*found);
    } catch (const json::exception&) {
        throw UserError{"session: '{}' is {}, which is of a wrong kind", key, found->dump()};
    }
}

template <class Value, class Parse>
Value read_name(const json& value, std::string_view key, Parse parse, std::string_view allowed) {
    const auto text = value.get<std::string>();
    const auto parsed = parse(text);
    if (!parsed) {
        throw UserError{"session: '{}' is '{}', expected one of {}", key, text, allowed};
    }
    return *parsed;
}

std::optional<record::Reason> reason_from_name(std::string_view text) {
    const auto found = std::ranges::find(record::reason_names, text);
    if (found == record::reason_names.end()) {
        return std::nullopt;
    }
    return static_cast<record::Reason>(found - record::reason_names.begin());
}

std::optional<Alignment> alignment_from_name(std::string_view text) {
    const auto found = std::ranges::find(alignment_names, text);
    return found == alignment_names.end()
               ? std::nullopt
               : std::optional{static_cast<Alignment>(found - alignment_names.begin())};
}

json spans_json(const std::vector<record::SpanId>& spans) {
    json list = json::array();
    for (const record::SpanId& id : spans) {
        list.push_back(json::array({id.lane, id.index}));
    }
    return list;
}

record::SpanId read_span(const json& value) {
    return {value.at(0).get<std::uint32_t>(), value.at(1).get<std::uint64_t>()};
}

std::vector<record::SpanId> read_spans(const json& list) {
    std::vector<record::SpanId> spans;
    for (const json& entry : list) {
        spans.push_back(read_span(entry));
    }
    return spans;
}

json cores_json(const std::optional<std::set<std::uint32_t>>& cores) {
    return cores ? json(*cores) : json();
}

std::optional<std::set<std::uint32_t>> read_cores(const json& value) {
    return value.is_null() ? std::nullopt : std::optional{value.get<std::set<std::uint32_t>>()};
}

json bookmarks_json(const ViewState& view) {
    json list = json::object();
    for (std::size_t n = 0; n < view.bookmarks.size(); ++n) {
        if (const auto& bookmark = view.bookmarks.at(n)) {
            list[std::to_string(n)] = {{"window", range_json(bookmark->window)},
                                       {"range", optional_range(bookmark->range)},
                                       {"selected", spans_json(bookmark->selected)},
                                       {"open_cores", cores_json(bookmark->open_cores)}};
        }
    }
    return list;
}

void read_bookmarks(const json& list, ViewState& view) {
    for (const auto& [digit, entry] : list.items()) {
        if (digit.size() != 1 || digit[0] < '0' || digit[0] > '9') {
            throw UserError{"session: bookmark '{}': expected a digit", digit};
        }
        Bookmark bookmark{.window = read_range(entry.at("window"), "bookmarks.window"),
                          .range = {},
                          .selected = read_spans(entry.value("selected", json::array())),
                          .open_cores = read_cores(entry.value("open_cores", json()))};
        bookmark.range = read_optional_range(entry.value("range", json()), "bookmarks.range");
        view.bookmarks.at(static_cast<std::size_t>(digit[0] - '0')) = bookmark;
    }
}

void read_runs(const json& from, ViewState& view) {
    with(from, "run_a", [&](const json& v) { view.run_a = v.get<std::string>(); });
    with(from, "run_b", [&](const json& v) { view.run_b = v.get<std::string>(); });
    with(from, "compare", [&](const json& v) { view.compare = v.get<bool>(); });
    with(from, "alignment", [&](const json& v) {
        view.alignment = read_name<Alignment>(
            v, "alignment", alignment_from_name, fmt::format("{}", fmt::join(alignment_names, ", ")));
    });
    with(from, "aligned_at", [&](const json& v) {
        view.aligned_at = v.is_null() ? std::nullopt : std::optional{read_span(v)};
    });
}

void read_selection(const json& from, ViewState& view) {
    with(from, "window", [&](const json& v) { view.window = read_optional_range(v, "window"); });
    with(from, "range", [&](const json& v) { view.range = read_optional_range(v, "range"); });
    with(from, "cursor", [&](const json& v) {
        view.cursor = v.is_null() ? std::nullopt : std::optional{v.get<double>()};
    });
    with(from, "find", [&](const json& v) { view.find = v.get<std::string>(); });
    with(from, "cause", [&](const json& v) {
        view.cause = v.is_null() ? std::nullopt
                                 : std::optional{read_name<record::Reason>(
                                       v,
                                       "cause",
                                       reason_from_name,
                                       fmt::format("{}", fmt::join(record::reason_names, ", ")))};
    });
    with(from, "selected", [&](const json& v) { view.selected = read_spans(v); });
    with(from, "open_cores", [&](const json& v) { view.open_cores = read_cores(v); });
    with(from, "bookmarks", [&](const json& v) { read_bookmarks(v, view); });
    with(from, "marks", [&](const json& v) {
        for (const json& entry : v) {
            view.marks.push_back(
                {entry.at("name").get<std::string>(), read_range(entry.at("range"), "marks.range")});
        }
    });
}

void read_look(const json& from, ViewState& view) {
    with(from, "theme", [&](const json& v) {
        view.theme = read_name<ThemeName>(v, "theme", theme_from_name, "dark, light");
    });
    with(from, "unit", [&](const json& v) {
        view.unit = read_name<TimeUnit>(v, "unit", unit_from_name, "cycles, ns, us, ms");
    });
    with(
        from, "text_scale", [&](const json& v) { view.text_scale = std::clamp(v.get<float>(), 0.5F, 4.0F); });
    with(from, "play_speed", [&](const json& v) {
        view.play_speed = std::clamp(v.get<double>(), least_play_speed, most_play_speed);
    });
    with(
        from, "tabs", [&](const json& v) { view.active_tabs = v.get<std::map<std::string, std::string>>(); });
    with(from, "layout", [&](const json& v) {
        view.layout.left = std::clamp(v.value("left", view.layout.left), 0.0F, 1e5F);
        view.layout.right = std::clamp(v.value("right", view.layout.right), 0.0F, 1e5F);
        view.layout.bottom = std::clamp(v.value("bottom", view.layout.bottom), 0.0F, 1e5F);
        with(v, "lower_share", [&](const json& share) {
            view.layout.lower_share =
                share.is_null() ? std::nullopt : std::optional{std::clamp(share.get<float>(), 0.05F, 0.95F)};
        });
        view.layout.show_left = v.value("show_left", view.layout.show_left);
        view.layout.show_right = v.value("show_right", view.layout.show_right);
        view.layout.show_bottom = v.value("show_bottom", view.layout.show_bottom);
        view.layout.show_lower = v.value("show_lower", view.layout.show_lower);
    });
}

json marks_json(const ViewState& view) {
    json marks = json::array();
    for (const Mark& mark : view.marks) {
        marks.push_back({{"name", mark.name}, {"range", range_json(mark.range)}});
    }
    return marks;
}

}  // namespace

json to_json(const ViewState& view) {
    const LayoutState& layout = view.layout;
    return {{"version", session_version},
            {"theme", name(view.theme)},
            {"text_scale", view.text_scale},
            {"unit", unit_name(view.unit)},
            {"layout",
             {{"left", layout.left},
              {"right", layout.right},
              {"bottom", layout.bottom},
              {"lower_share", layout.lower_share ? json(*layout.lower_share) : json()},
              {"show_left", layout.show_left},
              {"show_right", layout.show_right},
              {"show_bottom", layout.show_bottom},
              {"show_lower", layout.show_lower}}},
            {"tabs", view.active_tabs},
            {"run_a", view.run_a},
            {"run_b", view.run_b},
            {"compare", view.compare},
            {"alignment", alignment_names.at(static_cast<std::size_t>(view.alignment))},
            {"aligned_at",
             view.aligned_at ? json::array({view.aligned_at->lane, view.aligned_at->index}) : json()},
            {"play_speed", view.play_speed},
            {"open_cores", cores_json(view.open_cores)},
            {"window", optional_range(view.window)},
            {"range", optional_range(view.range)},
            {"cursor", view.cursor ? json(*view.cursor) : json()},
            {"cause", view.cause ? json(record::name(*view.cause)) : json()},
            {"find", view.find},
            {"selected", spans_json(view.selected)},
            {"bookmarks", bookmarks_json(view)},
            {"marks", marks_json(view)}};
}

ViewState view_from_json(const json& from) {
    if (!from.is_object()) {
        throw UserError{"session: expected an object"};
    }
    const int version = from.value("version", session_version);
    if (version != session_version) {
        throw UserError{"session: version {}, this program reads version {}", version, session_version};
    }
    ViewState view;
    read_look(from, view);
    read_runs(from, view);
    read_selection(from, view);
    return view;
}

void save_session(const std::filesystem::path& path, const ViewState& view) {
    process::write_whole(path, to_json(view).dump(2) + "\n");
}

ViewState load_session(const std::filesystem::path& path) {
    std::ifstream file{path};
    if (!file) {
        throw UserError{"{}: cannot open session", path.string()};
    }
    const json content = json_of(std::string{std::istreambuf_iterator<char>{file}, {}});
    if (content.is_discarded()) {
        throw UserError{"{}: not a session file: no JSON", path.string()};
    }
    return view_from_json(content);
}

}  // namespace ascendsim::gui
