// SPDX-License-Identifier: Apache-2.0
#include "gui/control/script.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "gui/control/script_language.hpp"
#include "sim/base/error.hpp"
#include "sim/process/whole_file.hpp"

namespace ascendsim::gui {
namespace {

using nlohmann::json;

struct Grammar {
    std::string_view command;
    std::size_t least;  ///< words after the command
    std::size_t most;
    std::string_view usage;
};

constexpr std::array grammar{
    Grammar{"open", 1, 1, "open FILE"},
    Grammar{"size", 1, 1, "size 1280x720"},
    Grammar{"frames", 1, 1, "frames N"},
    Grammar{"key", 1, 1, "key Ctrl+F"},
    Grammar{"text", 1, 1, "text \"words\""},
    Grammar{"move", 1, 1, "move @NAME"},
    Grammar{"click", 1, 5, "click @NAME [right|middle|double] [Ctrl] [Shift] [Alt]"},
    Grammar{"drag", 3, 7, "drag @NAME DX DY [right|middle] [Ctrl] [Shift] [Alt] [Space]"},
    Grammar{"wheel", 3, 6, "wheel @NAME RIGHT UP [Ctrl] [Shift] [Alt]"},
    Grammar{"expect", 3, 3, "expect PATH == VALUE"},
    Grammar{"wait", 4, 4, "wait PATH == VALUE SECONDS"},
    Grammar{"set", 2, 2, "set PATH VALUE"},
    Grammar{"command", 1, 1, "command NAME"},
    Grammar{"shot", 1, 2, "shot FILE.png [PANEL]"},
    Grammar{"svg", 1, 2, "svg FILE.svg [PANEL]"},
    Grammar{"csv", 2, 2, "csv FILE.csv PANEL"},
    Grammar{"dumptext", 1, 1, "dumptext FILE.txt"}};

const Grammar* find_grammar(std::string_view command) {
    const auto found = std::ranges::find(grammar, command, &Grammar::command);
    return found == grammar.end() ? nullptr : &*found;
}

/// The words after the place and its numbers.
struct MouseWords {
    unsigned button = 0;
    bool twice = false;
    std::vector<Key> held;
    bool good = true;
};

MouseWords read_mouse_words(const ScriptLine& line) {
    MouseWords result;
    const std::size_t first = line.words[0] == "click" ? 2 : 4;
    for (std::size_t i = first; i < line.words.size(); ++i) {
        const std::string& word = line.words[i];
        if (word == "right") {
            result.button = 1;
        } else if (word == "middle") {
            result.button = 2;
        } else if (word == "double") {
            result.twice = true;
        } else if (word == "Ctrl") {
            result.held.push_back(Key::control);
        } else if (word == "Shift") {
            result.held.push_back(Key::shift);
        } else if (word == "Alt") {
            result.held.push_back(Key::alt);
        } else if (word == "Space") {
            result.held.push_back(key_of(' '));
        } else {
            result.good = false;
        }
    }
    return result;
}

std::vector<Key> modifier_keys(Modifiers modifiers) {
    std::vector<Key> keys;
    if (modifiers.control) {
        keys.push_back(Key::control);
    }
    if (modifiers.shift) {
        keys.push_back(Key::shift);
    }
    if (modifiers.alt) {
        keys.push_back(Key::alt);
    }
    return keys;
}

void write_text(const std::filesystem::path& path, const std::string& text) {
    process::write_whole(path, text);
}

}  // namespace

ScriptDriver::ScriptDriver(std::string_view text, std::string name, std::filesystem::path out)
    : lines_{split_script(text)}, name_{std::move(name)}, out_{std::move(out)} {
    for (const ScriptLine& line : lines_) {
        check_line(line);
    }
}

std::string ScriptDriver::at(const ScriptLine& line) const {
    return fmt::format("{}:{}: {}", name_, line.number, fmt::join(line.words, " "));
}

void ScriptDriver::check_line(const ScriptLine& line) const {
    const std::string& command = line.words[0];
    const Grammar* rule = find_grammar(command);
    if (rule == nullptr) {
        std::vector<std::string> known;
        for (const Grammar& row : grammar) {
            known.emplace_back(row.command);
        }
        throw UserError{"{}: unknown command{}", at(line), nearest_hint(command, known)};
    }
    const std::size_t count = line.words.size() - 1;
    const bool mouse = command == "move" || command == "click" || command == "drag" || command == "wheel";
    bool good = count >= rule->least && count <= rule->most;
    good = good && (!mouse || parse_place(line.words[1]).has_value());
    good = good && (command != "click" || read_mouse_words(line).good);
    if (good && (command == "drag" || command == "wheel")) {
        good = parse_number(line.words[2]) && parse_number(line.words[3]) && read_mouse_words(line).good;
    }
    good = good && (command != "size" || parse_size(line.words[1]).has_value());
    good = good && (command != "frames" || parse_number(line.words[1]).value_or(0) >= 1);
    good = good && (command != "key" || parse_chord(line.words[1]).has_value());
    if (good && (command == "expect" || command == "wait")) {
        good = compare_values(json(0), line.words[2], json(0)).has_value();
        good = good && (command != "wait" || parse_number(line.words[4]).value_or(0) > 0);
    }
    if (!good) {
        throw UserError{"{}: expected '{}'", at(line), rule->usage};
    }
}

bool ScriptDriver::advance(ScriptHost& host) {
    if (wait_frames_ > 0) {
        --wait_frames_;
    }
    while (wait_frames_ == 0) {
        if (host.input_pending()) {
            return true;
        }
        if (steps_.empty()) {
            if (line_ == lines_.size()) {
                return false;
            }
            start(lines_[line_], host);
            if (waiting_until_) {
                return true;
            }
            ++line_;
            continue;
        }
        const Step step = std::move(steps_.front());
        steps_.pop_front();
        step.act(host);
        wait_frames_ = step.frames;
    }
    return true;
}

void ScriptDriver::event(InputEvent event, int frames) {
    steps_.push_back({[event = std::move(event)](ScriptHost& host) { host.push(event); }, frames});
}

void ScriptDriver::press_keys(const std::vector<Key>& keys, bool down) {
    for (const Key key : keys) {
        event(KeyChange{key, down}, 1);
    }
}

std::filesystem::path ScriptDriver::output(const std::string& file) const {
    return out_ / file;
}

Point ScriptDriver::place(const ScriptLine& line, ScriptHost& host) const {
    const PlaceSpec spec = parse_place(line.words[1]).value();
    const std::optional<Rect> box = host.anchor(spec.name);
    if (!box) {
        throw ScriptFailure{fmt::format("{}: nothing on screen is called '{}'{}",
                                        at(line),
                                        spec.name,
                                        nearest_hint(spec.name, host.anchor_names()))};
    }
    return {std::floor(box->left + spec.share.x * box->width() + spec.offset.x),
            std::floor(box->top + spec.share.y * box->height() + spec.offset.y)};
}

void ScriptDriver::start_mouse(const ScriptLine& line, ScriptHost& host) {
    const std::string& command = line.words[0];
    const Point from = place(line, host);
    event(MouseMove{from}, 2);
    if (command == "move") {
        return;
    }
    const MouseWords words = read_mouse_words(line);
    press_keys(words.held, true);
    if (command == "click") {
        for (int n = 0; n < (words.twice ? 2 : 1); ++n) {
            event(MouseButton{words.button, true});
            event(MouseButton{words.button, false});
        }
    } else {
        const auto right = static_cast<float>(parse_number(line.words[2]).value());
        const auto up = static_cast<float>(parse_number(line.words[3]).value());
        if (command == "wheel") {
            event(MouseWheel{right, up});
        } else {
            event(MouseButton{words.button, true});
            event(MouseMove{{from.x + right / 2, from.y + up / 2}});
            event(MouseMove{{from.x + right, from.y + up}}, 2);
            event(MouseButton{words.button, false});
        }
    }
    press_keys(words.held, false);
    event(FocusChange{true}, 2);
}

void ScriptDriver::start_expect(const ScriptLine& line, ScriptHost& host) {
    const std::string& path = line.words[1];
    const json actual = path == "text" ? json(host.screen_text()) : host.value(path);
    const json expected = parse_value(line.words[3]);
    if (compare_values(actual, line.words[2], expected).value_or(false)) {
        waiting_until_.reset();
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (line.words[0] == "wait") {
        if (!waiting_until_) {
            const double seconds = parse_number(line.words[4]).value_or(0);
            waiting_until_ = now + std::chrono::milliseconds{static_cast<std::int64_t>(seconds * 1000)};
        }
        if (now < *waiting_until_) {
            std::this_thread::sleep_for(std::chrono::milliseconds{5});
            return;
        }
    }
    throw ScriptFailure{fmt::format("{}: it is {}", at(line), actual.dump())};
}

void ScriptDriver::start_key(Chord chord) {
    if (chord.key == static_cast<Key>('?')) {
        event(TextInput{"?"}, 2);
        return;
    }
    press_keys(modifier_keys(chord.modifiers), true);
    event(KeyChange{chord.key, true});
    event(KeyChange{chord.key, false});
    press_keys(modifier_keys(chord.modifiers), false);
    event(FocusChange{true}, 2);
}

void ScriptDriver::start(const ScriptLine& line, ScriptHost& host) {
    const std::string& command = line.words[0];
    const std::string& word = line.words[1];
    const std::string panel = line.words.size() > 2 ? line.words[2] : std::string{};
    if (command == "expect" || command == "wait") {
        start_expect(line, host);
    } else if (command == "key") {
        start_key(parse_chord(word).value());
    } else if (command == "text") {
        event(TextInput{word}, 2);
    } else if (command == "frames") {
        steps_.push_back({[](ScriptHost&) {}, static_cast<int>(parse_number(word).value())});
    } else if (command == "size") {
        const Point size = parse_size(word).value();
        steps_.push_back(
            {[size](ScriptHost& h) { h.resize(static_cast<int>(size.x), static_cast<int>(size.y)); }, 2});
    } else if (command == "open") {
        steps_.push_back({[word](ScriptHost& h) { h.open(word); }, 2});
    } else if (command == "set") {
        steps_.push_back(
            {[word, value = parse_value(line.words[2])](ScriptHost& h) { h.set_value(word, value); }, 2});
    } else if (command == "command") {
        steps_.push_back({[word](ScriptHost& h) { h.run_command(word); }, 2});
    } else if (command == "shot") {
        steps_.push_back({[path = output(word), panel](ScriptHost& h) { h.save_picture(path, panel); }, 1});
    } else if (command == "svg") {
        steps_.push_back({[path = output(word), panel](ScriptHost& h) { h.save_svg(path, panel); }, 1});
    } else if (command == "csv") {
        steps_.push_back({[path = output(word), panel](ScriptHost& h) { h.save_table(path, panel); }, 1});
    } else if (command == "dumptext") {
        steps_.push_back({[path = output(word)](ScriptHost& h) { write_text(path, h.screen_text()); }, 1});
    } else {
        start_mouse(line, host);
    }
}

}  // namespace ascendsim::gui
