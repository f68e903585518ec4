// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text_output.hpp"

#include <array>
#include <cstdio>
#include <iostream>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/report/style.hpp"
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

/// Figures of a recording may be the words "inf" and "nan"; readers of JSON take numbers or null.
void only_numbers(nlohmann::ordered_json& json) {
    constexpr std::array<std::string_view, 4> figures{"max_abs_error", "max_rel_error", "got", "expected"};
    constexpr std::array<std::string_view, 3> words{"inf", "-inf", "nan"};
    for (auto item = json.begin(); item != json.end(); ++item) {
        nlohmann::ordered_json& value = item.value();
        if (value.is_structured()) {
            only_numbers(value);
        } else if (json.is_object() && value.is_string() &&
                   std::ranges::find(figures, item.key()) != figures.end() &&
                   std::ranges::find(words, value.get_ref<const std::string&>()) != words.end()) {
            value = nullptr;
        }
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

bool shows_progress() {
    return isatty(STDERR_FILENO) != 0 && report::understands_controls();
}

std::string time_left(double seconds, std::uint64_t done, std::uint64_t all) {
    constexpr double soon = 1;  // s; an estimate from less is worth nothing
    if (done == 0 || done >= all || seconds < soon) {
        return {};
    }
    const double left = seconds * static_cast<double>(all - done) / static_cast<double>(done);
    constexpr double minute = 60;
    constexpr double hour = 3600;
    return left < 2 * minute ? fmt::format(", {:.0f} s left", left)
           : left < 2 * hour ? fmt::format(", {:.0f} min left", left / minute)
                             : fmt::format(", {:.1f} h left", left / hour);
}

namespace {

/// Columns of a line of the terminal but the last, which would break the line.
std::size_t progress_columns() {
    winsize size{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return known ? size.ws_col - 1U : ~std::size_t{0};
}

}  // namespace

void show_progress(std::string_view before, double share, std::string_view behind, std::string_view name) {
    constexpr std::size_t widest = 24;
    constexpr std::size_t narrowest = 4;  // a narrower one says nothing
    constexpr std::size_t gap = 2;
    const std::size_t all = progress_columns();
    const std::size_t words = report::columns(before) + report::columns(behind);
    std::size_t room = all < words ? 0 : all - words;
    std::string last;
    if (!name.empty() && room > 2 * narrowest + gap) {
        const std::size_t width = std::min(report::columns(name), room - narrowest - gap);
        last = fmt::format("  {}",
                           report::columns(name) <= width ? std::string{name} : report::left(name, width));
        room -= width + gap;
    }
    const std::size_t width = std::min(room, widest);
    show_progress(fmt::format(
        "{}{}{}{}", before, width < narrowest ? std::string{} : report::bar(share, width), behind, last));
}

void show_progress(std::string_view line) {
    std::fputs("\r\033[K", stderr);
    const std::size_t room = progress_columns();
    print(stderr, whole_parts(line, room));
    std::fflush(stderr);
}

std::string whole_parts(std::string_view line, std::size_t columns) {
    if (report::columns(line) <= columns) {
        return std::string{line};
    }
    for (std::size_t end = line.size(); end > 0; --end) {
        const std::string_view rest = line.substr(end);
        const bool parts = rest.starts_with(", ") || rest.starts_with("  ");
        const std::string_view begin = line.substr(0, end);
        if (parts && begin.find_first_not_of(' ') != begin.npos && report::columns(begin) <= columns) {
            return std::string{begin};
        }
    }
    return report::left(line, columns);
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

void write_json(const std::string& place, std::string_view kind, const nlohmann::ordered_json& json) {
    const int version = kind == "validate" ? 2 : 1;  // 2: errors of --system have the names of the kernels'
    if (place.empty()) {
        return;
    }
    nlohmann::ordered_json whole{{"schema", fmt::format("ascendsim.{}/{}", kind, version)}};
    if (json.is_object()) {
        whole.update(json);
    } else {
        whole["runs"] = json;
    }
    only_numbers(whole);
    write_plain_json(place, whole);
}

void write_plain_json(const std::string& place, const nlohmann::ordered_json& json) {
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
