// SPDX-License-Identifier: Apache-2.0
#include "models/memory/request_shape.hpp"

#include <algorithm>

namespace ascendsim {
namespace {

struct Run {
    std::uint64_t requests;
    std::uint64_t padded;
    std::uint64_t fetched;
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

/// Smallest requests, or lines, that a row touches.
std::uint64_t touched(std::uint64_t offset, std::uint64_t bytes, std::uint64_t unit) {
    return (offset + bytes + unit - 1) / unit - offset / unit;
}

Run cut_row(std::uint64_t offset,
            std::uint64_t bytes,
            std::uint64_t unit,
            std::uint64_t largest,
            std::uint64_t line) {
    const std::uint64_t units = touched(offset, bytes, unit);
    const bool ragged = offset % unit != 0 || (offset + bytes) % unit != 0;
    return {aligned_requests(offset / unit, units, largest),
            units * unit,
            ragged ? touched(offset, bytes, line) * line : units * unit};
}

}  // namespace

RequestShape cut(const isa::Transfer& transfer,
                 const PortSpec& port,
                 std::uint32_t max_request,
                 std::uint32_t line) {
    const std::uint64_t unit = port.min_request;
    const std::uint64_t largest = std::max<std::uint64_t>(1, max_request / unit);
    RequestShape shape{.bytes = transfer.bytes()};
    std::uint64_t rows = transfer.rows;
    std::uint64_t row_bytes = transfer.row_bytes;
    if (rows > 1 && transfer.row_pitch == row_bytes) {
        row_bytes *= rows;
        rows = 1;
    }
    if (row_bytes == 0) {
        return shape;
    }
    const bool rows_alike = transfer.row_pitch % std::max(max_request, line) == 0;
    for (std::uint64_t plane = 0; plane < transfer.planes; ++plane) {
        const std::uint64_t start = transfer.offset + plane * transfer.plane_pitch;
        const std::uint64_t distinct = rows_alike ? 1 : rows;
        const std::uint64_t repeat = rows_alike ? rows : 1;
        for (std::uint64_t row = 0; row < distinct; ++row) {
            const Run run = cut_row(start + row * transfer.row_pitch, row_bytes, unit, largest, line);
            shape.requests += run.requests * repeat;
            shape.padded_bytes += run.padded * repeat;
            shape.fetched_bytes += run.fetched * repeat;
        }
    }
    return shape;
}

}  // namespace ascendsim
