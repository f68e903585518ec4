// SPDX-License-Identifier: Apache-2.0
// The steps of a tiling, which the operators of a family fill in: shapes, chip, whether it is for them, the
// tiling itself, that of the high-level API, workspace, and what is left to do.
#pragma once

#include <memory>
#include <sstream>
#include <string>

#include "log/log.h"
#include "runtime/acl/host_context.hpp"
#include "tiling/platform/platform_ascendc.h"

#ifndef ASCENDC_EXTERN_C
#define ASCENDC_EXTERN_C
#endif

namespace Ops {
namespace Base {

struct AiCoreParams {
    uint64_t ubSize = 0;
    uint64_t numBlocks = 0;
    uint64_t aicNum = 0;
    uint64_t l1Size = 0;
    uint64_t l0aSize = 0;
    uint64_t l0bSize = 0;
    uint64_t l0cSize = 0;
};

/// What TilingParse functions of this package's users note of the chip.
struct CompileInfoCommon {
    uint32_t aivNum = 0;
    uint32_t aicNum = 0;
    uint64_t ubSize = 0;
    uint64_t l1Size = 0;
    uint64_t l0aSize = 0;
    uint64_t l0bSize = 0;
    uint64_t l0cSize = 0;
    uint64_t l2CacheSize = 0;
    int64_t coreNum = 0;
    int32_t socVersion = 0;
    uint32_t rsvd = 0;
};

class TilingBaseClass {
public:
    explicit TilingBaseClass(gert::TilingContext* context) : context_(context) {}

    virtual ~TilingBaseClass() = default;

    /// GRAPH_PARAM_INVALID: another class is to be asked.
    ge::graphStatus DoTiling() {
        ge::graphStatus status = GetShapeAttrsInfo();
        status = status == ge::GRAPH_SUCCESS ? GetPlatformInfo() : status;
        if (status == ge::GRAPH_SUCCESS && !IsCapable()) {
            return ge::GRAPH_PARAM_INVALID;
        }
        status = status == ge::GRAPH_SUCCESS ? DoOpTiling() : status;
        status = status == ge::GRAPH_SUCCESS ? DoLibApiTiling() : status;
        status = status == ge::GRAPH_SUCCESS ? GetWorkspaceSize() : status;
        status = status == ge::GRAPH_SUCCESS ? PostTiling() : status;
        if (status == ge::GRAPH_SUCCESS) {
            context_->SetTilingKey(GetTilingKey());
            DumpTilingInfo();
        }
        return status;
    }

    virtual void Reset(gert::TilingContext* context) { context_ = context; }

protected:
    virtual bool IsCapable() = 0;
    virtual ge::graphStatus GetPlatformInfo() = 0;
    virtual ge::graphStatus GetShapeAttrsInfo() = 0;
    virtual ge::graphStatus DoOpTiling() = 0;
    virtual ge::graphStatus DoLibApiTiling() = 0;
    [[nodiscard]] virtual uint64_t GetTilingKey() const = 0;
    virtual ge::graphStatus GetWorkspaceSize() = 0;
    virtual ge::graphStatus PostTiling() = 0;

    virtual void DumpTilingInfo() {}

    static uint32_t CalcTschBlockDim(uint32_t slices, uint32_t cube_cores, uint32_t vector_cores) {
        return platform_ascendc::PlatformAscendC{}.CalcTschBlockDim(slices, cube_cores, vector_cores);
    }

    template <class T>
    [[nodiscard]] std::string GetShapeDebugStr(const T& shape) const {
        std::ostringstream text;
        for (std::size_t i = 0; i < shape.GetDimNum(); ++i) {
            text << (i == 0 ? "[" : ", ") << shape.GetDim(i);
        }
        return text.str() + "]";
    }

    [[nodiscard]] std::string GetTilingDataDebugStr() const { return {}; }

    [[nodiscard]] std::string GetTilingContextDebugStr() { return {}; }

    gert::TilingContext* context_ = nullptr;
    std::unique_ptr<platform_ascendc::PlatformAscendC> ascendcPlatform_;
    uint32_t blockDim_ = 0;
    uint64_t workspaceSize_ = 0;
    uint64_t tilingKey_ = 0;
    AiCoreParams aicoreParams_;
};

}  // namespace Base
}  // namespace Ops
