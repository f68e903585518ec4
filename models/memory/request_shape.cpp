// SPDX-License-Identifier: Apache-2.0
#include "models/memory/request_shape.hpp"

#include <algorithm>

namespace ascendsim {
namespace {

struct Run {
    std::uint64_t requests;
    std::uint64_t units;
};

/// Requests for `units` smallest requests starting at unit `first`, in naturally aligned powers of two up to
/// `largest`.
std::uint64_t aligned_requests(std::uint64_t first, std::uint64_t units, std::uint64_t largest) {
    std::uint64_t requests = 0;
    std::uint64_t at = first;
    std::uint64_t left = units;
    while (left > 0 && at % largest != 0) {
        const std::uint64_t natural = at & (~at + 1);
        std::uint64_t step = std::min(natural, largest);
        while (step > left) {
            step /= 2;
        }
        at += step;
        left -= step;
        ++requests;
    }
    requests += left / largest;
    for (left %= largest; left > 0; left &= left - 1) {
        ++requests;
    }
    return requests;
}

Run cut_row(std::uint64_t offset, std::uint64_t bytes, std::uint64_t unit, std::uint64_t largest) {
    const std::uint64_t first = offset / unit;
    const std::uint64_t units = (offset + bytes + unit - 1) / unit - first;
    return {aligned_requests(first, units, largest), units};
}

}  // namespace

RequestShape cut(const isa::Transfer& transfer, const PortSpec& port, std::uint32_t max_request) {
    const std::uint64_t unit = port.min_request;
    const std::uint64_t largest = std::max<std::uint64_t>(1, max_request / unit);
    RequestShape shape{.bytes = transfer.bytes()};
    std::uint64_t rows = transfer.rows;
    std::uint64_t row_bytes = transfer.row_bytes;
    if (rows > 1 && transfer.row_pitch == row_bytes) {
        row_bytes *= rows;
        rows = 1;
        shape.contiguous_rows = true;
    }
    if (row_bytes == 0) {
        return shape;
    }
    const bool rows_alike = transfer.row_pitch % max_request == 0;
    for (std::uint64_t plane = 0; plane < transfer.planes; ++plane) {
        const std::uint64_t start = transfer.offset + plane * transfer.plane_pitch;
        const std::uint64_t distinct = rows_alike ? 1 : rows;
        const std::uint64_t repeat = rows_alike ? rows : 1;
        for (std::uint64_t row = 0; row < distinct; ++row) {
            const Run run = cut_row(start + row * transfer.row_pitch, row_bytes, unit, largest);
            shape.requests += run.requests * repeat;
            shape.padded_bytes += run.units * unit * repeat;
        }
    }
    return shape;
}

}  // namespace ascendsim
