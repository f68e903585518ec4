// SPDX-License-Identifier: Apache-2.0
// Vector instructions on the first n elements of tensors, each followed by the barrier that its successor
// needs.
#pragma once

#include <initializer_list>

#include "kernels/ascendc/ascendc/sync.h"
#include "kernels/ascendc/ascendc/vector/vector_binary.h"
#include "kernels/ascendc/ascendc/vector/vector_cast.h"
#include "kernels/ascendc/ascendc/vector/vector_compare.h"
#include "kernels/ascendc/ascendc/vector/vector_scalar.h"
#include "kernels/ascendc/ascendc/vector/vector_ternary.h"
#include "kernels/ascendc/ascendc/vector/vector_unary.h"

namespace AscendC::adv {

template <typename T>
class Steps {
public:
    using Tensor = LocalTensor<T>;

    Steps(uint32_t n, Site site) : n_(static_cast<int32_t>(n)), site_(site) {}

    void add(const Tensor& d, const Tensor& a, const Tensor& b) const { Add(d, a, b, n_, site_), done(); }

    void sub(const Tensor& d, const Tensor& a, const Tensor& b) const { Sub(d, a, b, n_, site_), done(); }

    void mul(const Tensor& d, const Tensor& a, const Tensor& b) const { Mul(d, a, b, n_, site_), done(); }

    void div(const Tensor& d, const Tensor& a, const Tensor& b) const { Div(d, a, b, n_, site_), done(); }

    void max(const Tensor& d, const Tensor& a, const Tensor& b) const { Max(d, a, b, n_, site_), done(); }

    void min(const Tensor& d, const Tensor& a, const Tensor& b) const { Min(d, a, b, n_, site_), done(); }

    void adds(const Tensor& d, const Tensor& a, float s) const { Adds(d, a, T(s), n_, site_), done(); }

    void muls(const Tensor& d, const Tensor& a, float s) const { Muls(d, a, T(s), n_, site_), done(); }

    void maxs(const Tensor& d, const Tensor& a, float s) const { Maxs(d, a, T(s), n_, site_), done(); }

    void mins(const Tensor& d, const Tensor& a, float s) const { Mins(d, a, T(s), n_, site_), done(); }

    /// d += a * s
    void axpy(const Tensor& d, const Tensor& a, float s) const { Axpy(d, a, T(s), n_, site_), done(); }

    void abs(const Tensor& d, const Tensor& a) const { Abs(d, a, n_, site_), done(); }

    void exp(const Tensor& d, const Tensor& a) const { Exp(d, a, n_, site_), done(); }

    void ln(const Tensor& d, const Tensor& a) const { Ln(d, a, n_, site_), done(); }

    void sqrt(const Tensor& d, const Tensor& a) const { Sqrt(d, a, n_, site_), done(); }

    void relu(const Tensor& d, const Tensor& a) const { Relu(d, a, n_, site_), done(); }

    void reciprocal(const Tensor& d, const Tensor& a) const { Reciprocal(d, a, n_, site_), done(); }

    void fill(const Tensor& d, float s) const { Duplicate(d, T(s), n_, site_), done(); }

    /// Times one: a copy that keeps the sign of zero.
    void copy(const Tensor& d, const Tensor& a) const { muls(d, a, 1.0F); }

    template <typename U>
    void cast(const Tensor& d, const LocalTensor<U>& a, RoundMode mode = RoundMode::CAST_NONE) const {
        Cast(d, a, mode, static_cast<uint32_t>(n_), site_), done();
    }

    /// One bit per element into `bits`.
    void compare(const Tensor& bits, const Tensor& a, CMPMODE mode, float s) const {
        CompareScalar(
            bits.template ReinterpretCast<uint8_t>(), a, T(s), mode, static_cast<uint32_t>(n_), site_);
        done();
    }

    void compare(const Tensor& bits, const Tensor& a, CMPMODE mode, const Tensor& b) const {
        Compare(bits.template ReinterpretCast<uint8_t>(), a, b, mode, static_cast<uint32_t>(n_), site_);
        done();
    }

    /// d = bit ? a : b
    void select(const Tensor& d, const Tensor& bits, const Tensor& a, const Tensor& b) const {
        Select(d,
               bits.template ReinterpretCast<uint8_t>(),
               a,
               b,
               SELMODE::VSEL_TENSOR_TENSOR_MODE,
               static_cast<uint32_t>(n_),
               site_);
        done();
    }

    void select(const Tensor& d, const Tensor& bits, const Tensor& a, float b) const {
        Select(d,
               bits.template ReinterpretCast<uint8_t>(),
               a,
               T(b),
               SELMODE::VSEL_TENSOR_SCALAR_MODE,
               static_cast<uint32_t>(n_),
               site_);
        done();
    }

    /// d = ((c0 z + c1) z + ...) + c_last; d is not z.
    void polynomial(const Tensor& d, const Tensor& z, std::initializer_list<float> c) const {
        const float* next = c.begin();
        muls(d, z, *next++);
        adds(d, d, *next++);
        for (; next != c.end(); ++next) {
            mul(d, d, z);
            adds(d, d, *next);
        }
    }

private:
    void done() const { PipeBarrier<PIPE_V>(site_); }

    int32_t n_;
    Site site_;
};

}  // namespace AscendC::adv
