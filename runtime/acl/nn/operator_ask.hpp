// SPDX-License-Identifier: Apache-2.0
// What the first phase of an aclnn call asks for, and what the second one starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/port/pipe.hpp"
#include "runtime/acl/streams.hpp"
#include "runtime/acl/tiling_request.hpp"

namespace ascendsim::op_api {
struct Storage;
}

namespace ascendsim::program {

/// A tensor that a host program describes with aclCreateTensor. Types and layouts are the graph engine's
/// numbers, which aclDataType and aclFormat share.
struct CallTensor {
    std::vector<std::int64_t> shape;    // as the program sees it
    std::vector<std::int64_t> strides;  // elements, of each extent of `shape`
    std::vector<std::int64_t> stored;   // as it lies in memory
    std::int64_t offset = 0;            // elements, of the first one
    std::int32_t type = 0;
    std::int32_t format = 2;
    std::byte* address = nullptr;
    std::shared_ptr<op_api::Storage> storage{};  // of a recorded launch: where it will lie
    std::vector<double> known{};  // its elements, where the host knows them: then it has no address

    /// True if its elements follow each other in the order of `shape`.
    [[nodiscard]] bool contiguous() const {
        std::int64_t expected = 1;
        for (std::size_t i = shape.size(); i-- > 0;) {
            if (shape[i] != 1 && i < strides.size() && strides[i] != expected) {
                return false;
            }
            expected *= shape[i];
        }
        return true;
    }
};

/// What a parameter of an aclnn function is.
enum class CallKind : std::uint8_t {
    tensor,
    tensors,
    scalar,
    scalars,
    wholes,
    reals,
    truths,
    whole,
    real,
    truth,
    text,
    other
};

/// An argument of an aclnn call under its parameter's name.
struct CallArgument {
    std::string name{};
    CallKind kind = CallKind::other;
    bool written = false;                            // no `const`: a result
    bool given = true;                               // false: a null pointer
    bool attribute = false;                          // of a recorded launch
    std::vector<CallTensor> tensors{};               // of kinds tensor and tensors
    std::int32_t type = 0;                           // of a scalar
    tiling::AttributeValue value = std::int64_t{0};  // of the other kinds
};

struct OperatorAsk {
    std::string function;  // "aclnnRmsNorm"
    std::vector<CallArgument> arguments;
    Site site;
    /// Of a launch that a library's own code has recorded, the operator: then the arguments are its inputs,
    /// outputs and attributes, in the order of its definition.
    std::string type{};
    /// Nothing is computed: the elements of the first argument go to the second. `type` is the toolkit's
    /// name.
    bool moves = false;
};

/// The code of a library's own around an operator, compiled: the two phases of a function.
struct OwnCode {
    void* first = nullptr;
    void* second = nullptr;
    std::string obstacle{};  // why there is none, where a library holds its source
};

/// An operator with its tiling, ready to be put on streams.
class PreparedOperator {
public:
    virtual ~PreparedOperator() = default;

    /// B of device memory that the program is to bring.
    [[nodiscard]] virtual std::uint64_t workspace() const = 0;

    /// Puts it on a stream. `workspace` is null where the program brought less than that.
    virtual void launch(StreamNumber stream, const CallPlace& call, std::byte* workspace) = 0;
};

}  // namespace ascendsim::program
