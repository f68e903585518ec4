// SPDX-License-Identifier: Apache-2.0
// The plain computation that functional runs of the matrix product are held against, in seconds: 1024^3 in
// doubles, as runs are checked with, and the same loops in floats, as a plain program would write them.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include "kernels/plan/reference_matmul.hpp"

namespace {

constexpr std::size_t size = 1024;

template <class Work>
void measure(const char* what, Work work) {
    const auto begin = std::chrono::steady_clock::now();
    const double sum = work();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    std::printf("%-24s %6.3f s   (sum %.6g)\n", what, wall.count(), sum);
}

std::vector<float> numbers(std::uint32_t seed) {
    std::vector<float> values(size * size);
    for (float& value : values) {
        seed = seed * 1664525U + 1013904223U;
        value = static_cast<float>(seed >> 16U) / 65536.0F - 0.5F;
    }
    return values;
}

}  // namespace

int main() {
    const std::vector<float> a = numbers(1);
    const std::vector<float> b = numbers(2);
    measure("checking reference", [&] {
        const std::vector<double> c =
            ascendsim::host::multiply({.a = a, .b = b, .m = size, .n = size, .k = size});
        return std::accumulate(c.begin(), c.end(), 0.0);
    });
    measure("plain loops, floats", [&] {
        std::vector<float> c(size * size);
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t k = 0; k < size; ++k) {
                for (std::size_t j = 0; j < size; ++j) {
                    c[i * size + j] += a[i * size + k] * b[k * size + j];
                }
            }
        }
        return std::accumulate(c.begin(), c.end(), 0.0);
    });
    return 0;
}
