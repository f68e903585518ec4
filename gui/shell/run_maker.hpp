// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ascendsim::gui {

/// Where runs are made. The shell hands it to the panels, which know more of it: gui/runs implements it, and
/// workbench_of() there gives it back as what it is.
class RunMaker {
public:
    RunMaker() = default;
    RunMaker(const RunMaker&) = delete;
    RunMaker& operator=(const RunMaker&) = delete;
    virtual ~RunMaker() = default;

    /// What is running, and how far it is: a line for the user; empty if nothing is.
    [[nodiscard]] virtual std::string activity() const { return {}; }
};

}  // namespace ascendsim::gui
