// SPDX-License-Identifier: Apache-2.0
#include "sim/base/portable_text.hpp"

#include <cctype>
#include <utility>

#include <nlohmann/json.hpp>

namespace ascendsim {
namespace {

/// True for what the names in a path usually consist of; letters of any script are among them.
bool is_of_a_path(char letter) {
    constexpr unsigned char ascii_end = 0x80;
    const auto byte = static_cast<unsigned char>(letter);
    return std::isalnum(byte) != 0 || byte >= ascii_end ||
           std::string_view{"/._-+~@%,="}.find(letter) != std::string_view::npos;
}

bool begins_a_path(std::string_view text, std::size_t at) {
    return at == 0 || !is_of_a_path(text[at - 1]) || text[at - 1] == '=';
}

}  // namespace

std::string relative_to(std::string_view root, std::string_view text) {
    if (root.empty()) {
        return std::string{text};
    }
    const std::string folder = std::string{root} + (root.ends_with('/') ? "" : "/");
    std::string result;
    for (std::size_t done = 0;;) {
        const std::size_t at = folder.size() > 1 ? text.find(folder, done) : std::string_view::npos;
        result += text.substr(done, at == std::string_view::npos ? at : at - done);
        if (at == std::string_view::npos) {
            return result;
        }
        result += begins_a_path(text, at) ? std::string_view{} : std::string_view{folder};
        done = at + folder.size();
    }
}

std::string without_folders(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] != '/' || !begins_a_path(text, at)) {
            result += text[at++];
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && is_of_a_path(text[end])) {
            ++end;
        }
        const std::string_view path = text.substr(at, end - at);
        const std::size_t name = path.rfind('/', path.size() - 2);  // "/a/b/" is cut to "b/"
        result += name == 0 || name == std::string_view::npos ? path : path.substr(name + 1);
        at = end;
    }
    return result;
}

nlohmann::json with_texts(const nlohmann::json& values,
                          const std::function<std::string(std::string_view)>& change) {
    if (values.is_string()) {
        return change(values.get_ref<const std::string&>());
    }
    if (values.is_array()) {
        nlohmann::json result = nlohmann::json::array();
        for (const nlohmann::json& value : values) {
            result.push_back(with_texts(value, change));
        }
        return result;
    }
    if (values.is_object()) {
        nlohmann::json result = nlohmann::json::object();
        for (const auto& [key, value] : values.items()) {
            result[change(key)] = with_texts(value, change);
        }
        return result;
    }
    return values;
}

}  // namespace ascendsim
