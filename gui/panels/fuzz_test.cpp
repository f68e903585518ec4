// SPDX-License-Identifier: Apache-2.0
// Random events on the views of recordings; runs under the sanitizers too (tests/gui).
#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gui/panels/testing/view_bench.hpp"

namespace ascendsim::gui {
namespace {

TEST(Fuzz, RandomEventsLeaveTheViewsSane) {
    constexpr unsigned seed = 20261122;
    std::mt19937 random{seed};
    const auto number = [&](int low, int high) {
        return std::uniform_int_distribution<int>{low, high}(random);
    };
    std::vector<std::unique_ptr<record::testing::TemporaryFile>> files;
    for (const auto& [cores, tiles] : {std::pair<std::uint32_t, std::uint64_t>{0, 0}, {3, 12}, {8, 3000}}) {
        files.push_back(std::make_unique<record::testing::TemporaryFile>(std::to_string(tiles) + ".rec"));
        TiledRun{files.back()->path(), cores, tiles, 2, true}.finish();
    }
    ViewBench bench{panels_of_a_run({"parameters", "runs", "lessons"})};
    bench.open(files[1]->path());
    for (int frame = 0; frame < 1500; ++frame) {
        for (int n = number(0, 4); n > 0; --n) {
            switch (number(0, 5)) {
                case 0:
                case 1:
                    bench.host.push(MouseMove{
                        {static_cast<float>(number(-50, 1400)), static_cast<float>(number(-50, 800))}});
                    break;
                case 2:
                    bench.host.push(MouseButton{static_cast<unsigned>(number(0, 2)), number(0, 1) == 1});
                    break;
                case 3:
                    bench.host.push(
                        MouseWheel{static_cast<float>(number(-3, 3)), static_cast<float>(number(-30, 30))});
                    break;
                case 4:
                    bench.host.push(
                        KeyChange{key_of(static_cast<char>(number(' ', '~'))), number(0, 1) == 1});
                    break;
                default:
                    bench.host.push(KeyChange{static_cast<Key>(number(256, static_cast<int>(Key::count) - 1)),
                                              number(0, 1) == 1});
            }
        }
        if (number(0, 99) == 0) {
            bench.host.resize(number(0, 1) == 0 ? number(1, 60) : number(200, 2600), number(1, 1500));
        }
        if (number(0, 199) == 0) {
            bench.host.open(files[static_cast<std::size_t>(number(0, 2))]->path().string());
        }
        if (number(0, 199) == 0) {
            bench.documents.open_b(files[static_cast<std::size_t>(number(0, 2))]->path().string());
        }
        if (number(0, 79) == 0) {
            const std::vector<Command>& all = bench.host.shell().commands().all();
            const Command& command =
                all[static_cast<std::size_t>(number(0, static_cast<int>(all.size()) - 1))];
            bench.host.shell().commands().run(command.name);
        }
        bench.host.frame();
        const TimeRange seen = bench.host.shell().view().visible();
        ASSERT_TRUE(seen.begin >= 0 && seen.length() >= shortest_window * 0.999)
            << "seed " << seed << ", frame " << frame;
    }
}

}  // namespace
}  // namespace ascendsim::gui
