// SPDX-License-Identifier: Apache-2.0
// A node of a graph, for functions that choose operators for graphs (SetCheckSupport and relatives): they are
// compiled and never called, as here an operator is called by its name.
#pragma once

#include <cstddef>

#include "kernels/ascendc/graph/tensor.h"
#include "runtime/acl/host_context.hpp"

namespace ge {

/// Type, layout and extents of a node's input or output.
class TensorDesc {
public:
    Shape GetShape() const { return {}; }

    Shape GetOriginShape() const { return {}; }

    DataType GetDataType() const { return DT_UNDEFINED; }

    Format GetFormat() const { return FORMAT_ND; }

    Format GetOriginFormat() const { return FORMAT_ND; }
};

class Operator {
public:
    template <class Name>
    TensorDesc GetInputDesc(const Name&) const {
        return {};
    }

    template <class Name>
    TensorDesc GetInputDescByName(const Name&) const {
        return {};
    }

    template <class Name>
    TensorDesc GetOutputDesc(const Name&) const {
        return {};
    }

    template <class Name>
    TensorDesc GetOutputDescByName(const Name&) const {
        return {};
    }

    template <class Name>
    TensorDesc GetDynamicInputDesc(const Name&, uint32_t) const {
        return {};
    }

    /// No attribute is known.
    template <class Name, class Value>
    graphStatus GetAttr(const Name&, Value&) const {
        return GRAPH_FAILED;
    }

    template <class Name, class Value>
    graphStatus GetInputConstData(const Name&, Value&) const {
        return GRAPH_FAILED;
    }

    std::size_t GetInputsSize() const { return 0; }

    std::size_t GetOutputsSize() const { return 0; }

    graphStatus GetName(AscendString&) const { return GRAPH_FAILED; }

    graphStatus GetOpType(AscendString&) const { return GRAPH_FAILED; }
};

}  // namespace ge
