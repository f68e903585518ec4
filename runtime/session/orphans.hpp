// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include <sys/types.h>

namespace ascendsim::runtime {

/// While it lives, processes whose parent ends become this process's children, so that nothing that a kernel
/// has forked gets away. Its end ends those that are left, whoever started them: no other thread may start
/// programs meanwhile.
class OrphanCare {
public:
    OrphanCare();
    OrphanCare(const OrphanCare&) = delete;
    OrphanCare& operator=(const OrphanCare&) = delete;
    ~OrphanCare();

    /// Ends and reaps every child of this process that `is_ours` does not know, and theirs in turn. Those
    /// that were there before this object are left alone.
    void end_orphans(const std::function<bool(pid_t)>& is_ours = {}) const;

private:
    std::vector<pid_t> before_;
    int cared_ = 0;  // whether an object around this one does so too
};

}  // namespace ascendsim::runtime
