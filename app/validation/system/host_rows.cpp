// SPDX-License-Identifier: Apache-2.0
// Rows of calls that the host bounds.
#include <algorithm>

#include <fmt/format.h>

#include "app/validation/system/system_answer.hpp"
#include "models/node/host_calls.hpp"

namespace ascendsim::validation {
namespace {

/// Device time of the kernel behind a call: exact where a row gives it, else the bounds that larger and
/// smaller shapes set.
struct KernelTime {
    double at_least = 0;
    std::optional<double> at_most;
    std::string from;
};

std::string kernel_name(const SystemRow& row) {
    return row.workload.substr(0, row.workload.find(' '));
}

struct HeadsAndBatch {
    std::uint64_t heads = 0;
    std::uint64_t batch = 0;

    [[nodiscard]] bool within(const HeadsAndBatch& other) const {
        return heads <= other.heads && batch <= other.batch;
    }
};

HeadsAndBatch shape_of(const SystemRow& row) {
    return {number_after(row.shape, "heads").value_or(0), number_after(row.shape, "batch").value_or(0)};
}

KernelTime kernel_time(const SystemRow& call, const SystemContext& context) {
    KernelTime time;
    const HeadsAndBatch wanted = shape_of(call);
    for (const SystemRow& row : context.rows()) {
        if (row.metric != "Task Duration" || kernel_name(row) != kernel_name(call) || row.unit != "us") {
            continue;
        }
        const HeadsAndBatch given = shape_of(row);
        if (given.within(wanted) && row.value > time.at_least) {
            time.at_least = row.value;
            time.from = row.id;
        }
        if (wanted.within(given) && row.value < time.at_most.value_or(row.value + 1)) {
            time.at_most = row.value;
        }
    }
    return time;
}

SystemAnswer operator_call(const SystemRow& row, const SystemContext& context) {
    const KernelTime kernel = kernel_time(row, context);
    if (!kernel.at_most) {
        return WhyNot{"the time of its kernel is in no row"};
    }
    const node::HostSpec host = context.host("kunpeng920");
    const node::IssueMode mode = row.says("triton") ? node::IssueMode::triton : node::IssueMode::eager;
    const double least = node::call_us(host, mode, kernel.at_least);
    const double most = node::call_us(host, mode, *kernel.at_most);
    constexpr double close = 1.1;  // bounds that say the same
    if (most > close * least) {
        return WhyNot{"the time of its kernel is in no row"};
    }
    return in_unit_of(row,
                      (least + most) / 2,
                      0,
                      fmt::format("{}: kernel of {:.1f} to {:.1f} us ({})",
                                  host.name,
                                  kernel.at_least,
                                  *kernel.at_most,
                                  kernel.from.empty() ? "larger shapes" : kernel.from));
}

}  // namespace

SystemAnswer host_answer(const SystemRow& row, const SystemContext& context) {
    if (row.says("call time") && row.says("torch")) {
        return operator_call(row, context);
    }
    if (row.says("triton") && row.says("launch overhead")) {
        const node::HostSpec host = context.host("kunpeng920");
        constexpr double short_kernel_us = 5;
        return in_unit_of(row,
                          node::call_us(host, node::IssueMode::triton, short_kernel_us),
                          0,
                          host.name + ": Triton kernels of 5 us");
    }
    return WhyNot{"a figure of a whole program, whose operators are not stated"};
}

}  // namespace ascendsim::validation
