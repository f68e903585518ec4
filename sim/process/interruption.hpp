// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ascendsim::process {

/// While one lives, the first SIGINT (Ctrl-C) ends nothing in this process but is noted, so that what has
/// been found by then can be told; a second one ends the process. Forks of the process end at the first. One
/// at a time.
class Interruption {
public:
    Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;
    ~Interruption();

    /// True once the signal has come.
    [[nodiscard]] static bool came();
};

}  // namespace ascendsim::process
