// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "gui/control/keys.hpp"

namespace ascendsim::gui {

/// Something the user can do, with a stable name for scripts and key files.
struct Command {
    std::string name;                 ///< "view.zoom_in"
    std::string title;                ///< "Zoom in", shown in palette, help and tooltips
    std::string group;                ///< heading in the help
    std::vector<Chord> keys;          ///< any of them
    std::function<void()> run;        ///< does it
    std::function<bool()> available;  ///< whether it makes sense now; empty means always
    bool repeats = false;             ///< whether holding the key repeats it

    [[nodiscard]] bool ready() const { return !available || available(); }

    [[nodiscard]] std::string key_text() const;
};

/// All commands: the one source of keys, palette, help and tooltips.
class CommandTable {
public:
    /// Adds a command; throws InternalError if its name or one of its keys is taken.
    void add(Command command);

    [[nodiscard]] const std::vector<Command>& all() const { return commands_; }

    /// Nothing if there is no such command.
    [[nodiscard]] const Command* find(std::string_view name) const;
    [[nodiscard]] const Command* find(Chord chord) const;

    /// Runs a command by name; throws UserError naming the nearest one if there is none. False if it is not
    /// available.
    bool run(std::string_view name) const;
    /// Runs the command bound to a chord; false if there is none or it is not available.
    bool press(Chord chord) const;

    /// Gives a command other keys, taking them from whoever had them. Throws UserError for an unknown
    /// command.
    void rebind(std::string_view name, std::vector<Chord> keys);
    /// Applies a key file: { "view.zoom_in": ["W", "Ctrl+Up"], … }. Throws UserError naming what is wrong.
    void rebind(const nlohmann::json& file);
    /// The key file of the present bindings.
    [[nodiscard]] nlohmann::json bindings() const;

    /// Commands whose title, group or name holds the letters of `query` in order, best first; all for an
    /// empty query.
    [[nodiscard]] std::vector<const Command*> search(std::string_view query) const;

private:
    [[nodiscard]] Command& get(std::string_view name);
    [[nodiscard]] std::vector<std::string> names() const;

    std::vector<Command> commands_;
};

/// How well the letters of `query` appear in order in `text`; higher is better, negative if they do not.
[[nodiscard]] int match_score(std::string_view query, std::string_view text);

}  // namespace ascendsim::gui
