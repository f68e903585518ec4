// SPDX-License-Identifier: Apache-2.0
#include "sim/record/handed_on.hpp"

#include <array>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "sim/base/error.hpp"
#include "sim/base/portable_text.hpp"
#include "sim/process/whole_file.hpp"
#include "sim/record/byte_stream.hpp"
#include "sim/record/format.hpp"
#include "sim/record/frames/json_shape.hpp"

namespace ascendsim::record {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// What becomes of the JSON of a frame, and of a source's name.
struct Change {
    std::function<json(FrameType, json)> values;
    std::function<std::string(std::string_view)> file;
};

std::string content_of(const fs::path& file) {
    std::ifstream stream{file, std::ios::binary};
    std::string content{std::istreambuf_iterator<char>{stream}, {}};
    if (!stream.is_open() || content.size() < file_header_bytes ||
        std::memcmp(content.data(), file_magic.data(), file_magic.size()) != 0) {
        throw UserError{"{} is not a recording of ascendsim", file.string()};
    }
    return content;
}

std::string changed_site(std::string_view payload, const Change& change) {
    ByteReader from{std::as_bytes(std::span{payload})};
    const auto number = from.get<std::uint32_t>();
    const auto line = from.get<std::uint32_t>();
    const std::string file = change.file(from.get_text());
    const std::string_view rest{payload.substr(payload.size() - from.rest().size())};  // its caller
    std::string result(3 * sizeof(std::uint32_t) + file.size(), '\0');
    ByteWriter to{std::as_writable_bytes(std::span{result}).data()};
    to.put(number);
    to.put(line);
    to.put_text(file);
    return result.append(rest);
}

std::string changed(FrameType type, std::string_view payload, const Change& change) {
    switch (type) {
        case FrameType::metadata:
        case FrameType::event:
        case FrameType::totals:
            return change.values(type, checked_json(type, std::as_bytes(std::span{payload})))
                .dump(-1, ' ', false, json::error_handler_t::replace);
        case FrameType::site:
            return changed_site(payload, change);
        case FrameType::lane:
        case FrameType::op:
        case FrameType::spans:
        case FrameType::buffers:
            break;
    }
    return std::string{payload};
}

void copy_changed(const fs::path& from, const fs::path& to, const Change& change) {
    const std::string content = content_of(from);
    std::string result = content.substr(0, file_header_bytes);
    for (std::size_t at = file_header_bytes; content.size() - at >= sizeof(FrameHeader);) {
        FrameHeader header;
        std::memcpy(&header, content.data() + at, sizeof header);
        at += sizeof header;
        if (header.length > content.size() - at) {
            break;  // the run was ended here
        }
        const std::string_view payload{content.data() + at, header.length};
        at += header.length;
        if (header.checksum != checksum(std::as_bytes(std::span{payload}))) {
            throw UserError{"the recording {} is damaged: a checksum is wrong", from.string()};
        }
        const std::string fresh = changed(static_cast<FrameType>(header.type), payload, change);
        header.length = static_cast<std::uint32_t>(fresh.size());
        header.checksum = checksum(std::as_bytes(std::span{fresh}));
        std::array<char, sizeof header> bytes{};
        std::memcpy(bytes.data(), &header, sizeof header);
        result.append(bytes.data(), bytes.size());
        result += fresh;
    }
    process::write_whole(to, result);
}

/// Settings but those that stand for words of the command line: macros, folders of headers, arguments.
json public_settings(const json& overrides) {
    json kept = json::object();
    for (const auto& [path, value] : overrides.items()) {
        if (!path.starts_with("command.")) {
            kept[path] = value;
        }
    }
    return kept;
}

json stripped(FrameType type, json values) {
    if (type == FrameType::metadata && values.is_object()) {
        for (const char* key : {"project", "file", "command"}) {
            values.erase(key);
        }
        if (values.contains("sources")) {
            values["sources"] = json::object();
        }
        if (const auto overrides = values.find("overrides");
            overrides != values.end() && overrides->is_object()) {
            *overrides = public_settings(*overrides);
        }
    }
    return with_texts(values, without_folders);
}

}  // namespace

void copy_without_place(const fs::path& from, const fs::path& to) {
    copy_changed(from,
                 to,
                 {.values =
                      [](FrameType type, json values) {
                          if (type == FrameType::metadata && values.is_object()) {
                              values.erase("project");
                          }
                          return values;
                      },
                  .file = [](std::string_view file) { return std::string{file}; }});
}

void copy_stripped(const fs::path& from, const fs::path& to) {
    copy_changed(from, to, {.values = stripped, .file = [](std::string_view file) {
                                return fs::path{file}.filename().string();
                            }});
}

}  // namespace ascendsim::record
