// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/node/host_calls.hpp"

namespace ascendsim::node {

/// Ever more calls in a row, of different kernels: the host runs ahead while a kernel is long and falls
/// behind while they are short (the queue in between takes thousands), so that the slowest of host, launcher
/// and stream sets the pace of all.
class CallSums {
public:
    /// `times` calls of a kernel of this time.
    void add(const HostSpec& host, IssueMode mode, double kernel_us, double times = 1);

    /// The host waits so often for all that it has issued: the stream then has nothing to do until it goes on
    /// and has issued another call. Of graphs, the host waits for none.
    void wait(const HostSpec& host, IssueMode mode, double times);

    /// The time of all, what fills the pipeline left out.
    [[nodiscard]] double us() const;

    /// Of that, us for which host threads are busy, both together.
    [[nodiscard]] double host_us() const { return host_us_ + launcher_us_; }

private:
    double host_us_ = 0;
    double launcher_us_ = 0;
    double stream_us_ = 0;
};

}  // namespace ascendsim::node
