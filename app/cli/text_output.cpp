// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text_output.hpp"

#include <cstdio>
#include <iostream>

#include "app/studies/batch.hpp"
#include "sim/base/error.hpp"
#include "sim/base/harmless_text.hpp"

namespace ascendsim::cli {

namespace {

void print(std::FILE* stream, std::string_view text) {
    const std::string shown = harmless(text);
    std::fwrite(shown.data(), 1, shown.size(), stream);
}

void print_all(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw UserError{"standard output: cannot be written"};
    }
}

}  // namespace

void say(std::string_view text) {
    print(stdout, text);
}

void complain(std::string_view text) {
    std::fflush(stdout);
    print(stderr, text);
}

void show_progress(std::string_view line) {
    std::fputs("\r\033[K", stderr);
    print(stderr, line);
    std::fflush(stderr);
}

void command_service(std::string_view commands, bool on_standard_error) {
    std::fwrite(commands.data(), 1, commands.size(), on_standard_error ? stderr : stdout);
}

void print_file(const std::function<void(std::ostream&)>& write) {
    std::fflush(stdout);
    write(std::cout);
    std::cout.flush();
    if (!std::cout) {
        throw UserError{"standard output: cannot be written"};
    }
}

void write_text(const std::string& place, const std::string& text) {
    if (place == standard_output) {
        print_all(harmless(text));
    } else if (!place.empty()) {
        study::write_file(place, text);
    }
}

void write_json(const std::string& place, const nlohmann::ordered_json& json) {
    if (place == standard_output) {
        print_all(json_text(json));
    } else if (!place.empty()) {
        write_text(place, json_text(json));
    }
}

std::string json_text(const nlohmann::ordered_json& json) {
    std::string text = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    // "##vso[" is a command to a CI service wherever it stands in a log; JSON can say it otherwise.
    for (std::size_t at = text.find("##"); at != std::string::npos; at = text.find("##", at)) {
        text.replace(at, 1, "\\u0023");
    }
    return text;
}

}  // namespace ascendsim::cli
