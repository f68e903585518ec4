// SPDX-License-Identifier: Apache-2.0
// A user who does anything, for tests of what must never break.
#pragma once

#include <random>

#include "gui/shell/headless.hpp"

namespace ascendsim::gui {

/// Random events on a dashboard: pointer, buttons, wheel, drags, keys, text, commands, sizes. The same seed
/// does the same, in every build.
class RandomUser {
public:
    explicit RandomUser(unsigned seed) : random_{seed} {}

    [[nodiscard]] int number(int low, int high) {
        // std::uniform_int_distribution may differ between libraries.
        return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
    }

    [[nodiscard]] bool once_in(int times) { return number(1, times) == 1; }

    /// What happens between two frames: some events, now and then a command or another size of the screen.
    void act(Headless& host) {
        for (int n = number(0, 4); n > 0; --n) {
            event(host);
        }
        if (once_in(80)) {
            command(host);
        }
        if (once_in(100)) {
            host.resize(once_in(2) ? number(1, 60) : number(200, 2600), number(1, 1500));
        }
    }

private:
    Point place(const Headless& host) {
        return {static_cast<float>(number(-50, host.width() + 50)),
                static_cast<float>(number(-50, host.height() + 50))};
    }

    void event(Headless& host) {
        switch (number(0, 8)) {
            case 0:
            case 1:
            case 2:
                host.push(MouseMove{place(host)});
                break;
            case 3:
                host.push(MouseButton{static_cast<unsigned>(number(0, 3)), once_in(2)});
                break;
            case 4:
                host.push(MouseWheel{static_cast<float>(number(-3, 3)), static_cast<float>(number(-30, 30))});
                break;
            case 5:
                host.push(KeyChange{key_of(static_cast<char>(number(' ', '~'))), once_in(2)});
                break;
            case 6:
                host.push(
                    KeyChange{static_cast<Key>(number(256, static_cast<int>(Key::count) - 1)), once_in(2)});
                break;
            case 7:
                drag(host);
                break;
            default:
                host.push(once_in(4) ? InputEvent{FocusChange{once_in(2)}}
                                     : InputEvent{TextInput{"a?\u6ce8\xff"}});
        }
    }

    /// A press, a way in a few steps, a release; at times with a key held, as for zooming and panning.
    void drag(Headless& host) {
        const auto button = static_cast<unsigned>(number(0, 2));
        const Key held = once_in(3) ? key_of(' ') : Key::none;
        host.push(MouseMove{place(host)});
        if (held != Key::none) {
            host.push(KeyChange{held, true});
        }
        host.push(MouseButton{button, true});
        for (int n = number(1, 4); n > 0; --n) {
            host.push(MouseMove{place(host)});
        }
        host.push(MouseButton{button, false});
        if (held != Key::none) {
            host.push(KeyChange{held, false});
        }
    }

    /// Any command but the list of files: what is in the folder is not the test's to say.
    void command(Headless& host) {
        const std::vector<Command>& all = host.shell().commands().all();
        const Command& chosen = all[static_cast<std::size_t>(number(0, static_cast<int>(all.size()) - 1))];
        if (chosen.name != "file.open") {
            host.shell().commands().run(chosen.name);
        }
    }

    std::mt19937 random_;
};

}  // namespace ascendsim::gui
