// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/source_texts.hpp"

#include <set>

#include "sim/process/file_text.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::scenario {

std::string readable_text(const std::string& text) {
    using nlohmann::json;
    return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

nlohmann::json source_texts(std::vector<std::filesystem::path> sources,
                            const std::filesystem::path& one_more) {
    namespace fs = std::filesystem;
    using nlohmann::json;
    constexpr std::uintmax_t most_bytes = 512 * 1024;
    json texts = json::object();
    sources.push_back(one_more);
    std::set<fs::path> seen;
    while (!sources.empty()) {
        const fs::path file = sources.back().lexically_normal();
        sources.pop_back();
        if (!fs::is_regular_file(file) || !seen.insert(file).second || fs::file_size(file) > most_bytes) {
            continue;
        }
        const std::string text = process::text_of(file);
        for (const std::string& name : toolchain::included_names(text)) {
            sources.push_back(file.parent_path() / name);
        }
        texts[file.string()] = readable_text(text);
    }
    return texts;
}

}  // namespace ascendsim::scenario
