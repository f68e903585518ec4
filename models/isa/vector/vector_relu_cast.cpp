// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/vector_relu_cast.hpp"

#include <algorithm>

#include "models/isa/vector/vector_issue.hpp"
#include "models/numbers/rounding.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo add_relu_info{"vaddreluconv", "Sum, then the larger of it and zero, converted."};
constexpr OpInfo sub_relu_info{"vsubreluconv", "Difference, then the larger of it and zero, converted."};

template <class Dst, class Src, bool subtract>
void relu_cast(void* dst, const void* a, const void* b, ScalarBits, std::size_t n) {
    using Wide = std::conditional_t<std::is_integral_v<Src>, std::int32_t, float>;
    for (std::size_t i = 0; i < n; ++i) {
        const auto left = static_cast<Wide>(load<Src>(static_cast<const std::byte*>(a) + i * sizeof(Src)));
        const auto right = static_cast<Wide>(load<Src>(static_cast<const std::byte*>(b) + i * sizeof(Src)));
        const Wide sum = std::max(subtract ? left - right : left + right, Wide{0});
        save(static_cast<std::byte*>(dst) + i * sizeof(Dst), cast<Dst>(sum, RoundMode::rint));
    }
}

template <bool subtract>
LaneKernel relu_cast_kernel(DataType dst, DataType src) {
    if (dst == DataType::half && src == DataType::float32) {
        return &relu_cast<half, float, subtract>;
    }
    if (dst == DataType::int8 && src == DataType::half) {
        return &relu_cast<std::int8_t, half, subtract>;
    }
    if (dst == DataType::int8 && src == DataType::int16) {
        return &relu_cast<std::int8_t, std::int16_t, subtract>;
    }
    return nullptr;
}

}  // namespace

Instructions vector_relu_cast_instructions() {
    return {&add_relu_info, &sub_relu_info};
}

void vector_relu_cast(const VectorOperand& dst,
                      const VectorOperand& a,
                      const VectorOperand& b,
                      bool subtract,
                      const VectorShape& shape,
                      Site site) {
    const OpInfo& info = subtract ? sub_relu_info : add_relu_info;
    const LaneKernel kernel =
        subtract ? relu_cast_kernel<true>(dst.type, a.type) : relu_cast_kernel<false>(dst.type, a.type);
    if (kernel == nullptr) {
        CorePort::current().fail(info,
                                 site,
                                 fmt::format("it does not convert {} to {}: float to half, half to int8 and "
                                             "int16 to int8 are what it does",
                                             name(a.type),
                                             name(dst.type)),
                                 Pipe::vector);
    }
    issue_elementwise({.info = info,
                       .cost = &VectorSpec::cast,
                       .kernel = kernel,
                       .dst = dst,
                       .sources = {a, b},
                       .source_count = 2,
                       .reads_dst = false,
                       .scalar = {},
                       .shape = shape},
                      site);
}

}  // namespace ascendsim::isa
