// SPDX-License-Identifier: Apache-2.0
#include "app/cli/source_options.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace ascendsim::cli {

void SourceOptions::declare_words(Options& options, const char* meaning) {
    options.positionals("WORD", words_, meaning, false);
}

void SourceOptions::declare(Options& options) {
    options.list("-I", includes_, "DIR", "search DIR for headers");
    options.list("-D", defines_, "NAME[=VALUE]", "define a macro");
    options.list("--include", headers_, "HEADER", "include HEADER at the start of the source");
    options.list("--source", sources_, "FILE", "compile FILE too, as part of the program");
    options.list(
        "--compile-flag", flags_, "FLAG", "pass FLAG to the compiler, as in --compile-flag=-std=c++17");
    auto_sync_.declare(options);
    options.list(
        "--library",
        operators_,
        "DIR",
        "find the operators of aclnn calls, and of torch_npu, in DIR, a checkout of an operator library");
    options.list("--link", libraries_, "FLAG", "link a host program with a library, as in --link=-lm");
    options.flag("--alone", alone_, "take the sources as given, whatever a CMakeLists.txt adds to them");
}

std::vector<scenario::Override> SourceOptions::overrides() const {
    std::vector<scenario::Override> result;
    for (const auto& [path, words] : {std::pair{"command.include", &includes_},
                                      {"command.define", &defines_},
                                      {"command.headers", &headers_},
                                      {"command.sources", &sources_},
                                      {"command.flags", &flags_},
                                      {"command.link", &libraries_},
                                      {"command.library", &operators_},
                                      {"command.arguments", &words_}}) {
        if (!words->empty()) {
            result.push_back({path, nlohmann::json(*words).dump()});
        }
    }
    if (alone_) {
        result.push_back({"command.alone", "true"});
    }
    if (const std::optional<bool> on = auto_sync_.value()) {
        result.push_back({"command.auto_sync", *on ? "true" : "false"});
    }
    return result;
}

std::vector<std::string> SourceOptions::files() const {
    std::vector<std::string> files = sources_;
    files.insert(files.end(), headers_.begin(), headers_.end());
    return files;
}

}  // namespace ascendsim::cli
