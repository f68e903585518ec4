// SPDX-License-Identifier: Apache-2.0
#include "gui/control/commands.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "sim/base/error.hpp"
#include "sim/base/lower_case.hpp"

namespace ascendsim::gui {
namespace {

std::vector<Chord> chords_of(const std::string& name, const nlohmann::json& list) {
    std::vector<Chord> keys;
    if (!list.is_array()) {
        throw UserError{"keys of '{}': expected a list such as [\"Ctrl+F\"]", name};
    }
    for (const nlohmann::json& entry : list) {
        const std::string text = entry.is_string() ? entry.get<std::string>() : entry.dump();
        const std::optional<Chord> chord = parse_chord(text);
        if (!chord) {
            throw UserError{
                "keys of '{}': '{}' is no key; write it like Ctrl+Shift+P, Alt+Left or F5", name, text};
        }
        keys.push_back(*chord);
    }
    return keys;
}

}  // namespace

std::string Command::key_text() const {
    std::string text;
    for (const Chord chord : keys) {
        text += (text.empty() ? "" : ", ") + to_string(chord);
    }
    return text;
}

void CommandTable::add(Command command) {
    check(find(command.name) == nullptr, "command '{}' exists already", command.name);
    for (const Chord chord : command.keys) {
        const Command* other = find(chord);
        check(other == nullptr,
              "key {} of command '{}' belongs to '{}'",
              to_string(chord),
              command.name,
              other == nullptr ? "" : other->name);
    }
    commands_.push_back(std::move(command));
}

const Command* CommandTable::find(std::string_view name) const {
    const auto found = std::ranges::find(commands_, name, &Command::name);
    return found == commands_.end() ? nullptr : &*found;
}

const Command* CommandTable::find(Chord chord) const {
    const auto found = std::ranges::find_if(
        commands_, [&](const Command& c) { return std::ranges::find(c.keys, chord) != c.keys.end(); });
    return found == commands_.end() ? nullptr : &*found;
}

std::vector<std::string> CommandTable::names() const {
    std::vector<std::string> result;
    for (const Command& command : commands_) {
        result.push_back(command.name);
    }
    return result;
}

Command& CommandTable::get(std::string_view name) {
    const auto found = std::ranges::find(commands_, name, &Command::name);
    if (found == commands_.end()) {
        throw UserError{"no command is called '{}'{}", name, nearest_hint(name, names())};
    }
    return *found;
}

bool CommandTable::run(std::string_view name) const {
    const Command* command = find(name);
    if (command == nullptr) {
        throw UserError{"no command is called '{}'{}", name, nearest_hint(name, names())};
    }
    if (!command->ready()) {
        return false;
    }
    command->run();
    return true;
}

bool CommandTable::press(Chord chord) const {
    const Command* command = find(chord);
    if (command == nullptr || !command->ready()) {
        return false;
    }
    command->run();
    return true;
}

void CommandTable::rebind(std::string_view name, std::vector<Chord> keys) {
    Command& command = get(name);
    for (Command& other : commands_) {
        std::erase_if(other.keys, [&](Chord chord) { return std::ranges::find(keys, chord) != keys.end(); });
    }
    command.keys = std::move(keys);
}

void CommandTable::rebind(const nlohmann::json& file) {
    if (!file.is_object()) {
        throw UserError{"key file: expected an object of command names and lists of keys"};
    }
    for (const auto& [name, list] : file.items()) {
        rebind(name, chords_of(name, list));
    }
}

nlohmann::json CommandTable::bindings() const {
    nlohmann::json file = nlohmann::json::object();
    for (const Command& command : commands_) {
        nlohmann::json list = nlohmann::json::array();
        for (const Chord chord : command.keys) {
            list.push_back(to_string(chord));
        }
        file[command.name] = std::move(list);
    }
    return file;
}

int match_score(std::string_view query, std::string_view text) {
    int score = 0;
    std::size_t at = 0;
    std::size_t last = 0;
    for (const char wanted : query) {
        if (wanted == ' ') {
            continue;
        }
        const std::size_t from = at;
        while (at < text.size() && lower(text[at]) != lower(wanted)) {
            ++at;
        }
        if (at == text.size()) {
            return -1;
        }
        const bool starts_word = at == 0 || text[at - 1] == ' ' || text[at - 1] == '.' || text[at - 1] == '_';
        const bool follows = at == from && from > 0 && last + 1 == at;
        score += 1 + (starts_word ? 8 : 0) + (follows ? 6 : 0) + (at == 0 ? 4 : 0);
        last = at;
        ++at;
    }
    return score * 16 - static_cast<int>(std::min<std::size_t>(text.size(), 120)) / 8;
}

std::vector<const Command*> CommandTable::search(std::string_view query) const {
    std::vector<std::pair<int, const Command*>> found;
    for (const Command& command : commands_) {
        const int title = match_score(query, command.title);
        const int elsewhere = std::max(match_score(query, command.name),
                                       match_score(query, command.group + " " + command.title)) -
                              64;
        const int best = query.empty() ? 0 : std::max(title, elsewhere);
        if (query.empty() || title >= 0 || match_score(query, command.name) >= 0 ||
            match_score(query, command.group + " " + command.title) >= 0) {
            found.emplace_back(best, &command);
        }
    }
    std::ranges::stable_sort(found, std::greater{}, &std::pair<int, const Command*>::first);
    std::vector<const Command*> result;
    for (const auto& [score, command] : found) {
        result.push_back(command);
    }
    return result;
}

}  // namespace ascendsim::gui
