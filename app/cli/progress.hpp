// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "runtime/session/session.hpp"

namespace ascendsim::cli {

/// A line on a terminal's standard error that shows how far a run has come; nothing where there is no
/// terminal.
class Progress {
public:
    Progress(std::string label, const runtime::SessionProgress& session, bool wanted);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    /// Removes the line.
    ~Progress();

private:
    void draw() const;

    std::string label_;
    const runtime::SessionProgress& session_;
    std::atomic<bool> done_{false};
    std::thread thread_;
};

}  // namespace ascendsim::cli
