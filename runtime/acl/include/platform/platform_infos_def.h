// SPDX-License-Identifier: Apache-2.0
// What host code of operators asks the platform by name. Values are those of the chip the program runs on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fe {

enum class LocalMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, RESERVED };

enum class MemoryType : uint8_t { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6 };

/// Stands for the platform of the run; it holds nothing of its own.
class PlatFormInfos {
public:
    /// The text of a key of a section, as in ("version", "Short_SoC_version"); false and empty for one that
    /// is not known.
    bool GetPlatformRes(const std::string& section, const std::string& key, std::string& value) const;

    bool GetPlatformResWithLock(const std::string& section,
                                const std::string& key,
                                std::string& value) const {
        return GetPlatformRes(section, key, value);
    }

    /// Bytes of a memory.
    void GetLocalMemSize(const LocalMemType& type, uint64_t& size) const;
    void GetLocalMemBw(const LocalMemType& type, uint64_t& width) const;
    uint32_t GetCoreNum() const;

    /// Of "AiCore" or "VectorCore".
    uint32_t GetCoreNumByType(const std::string& type) const;

    uint32_t GetCoreNumWithLock() const { return GetCoreNum(); }

    void SetCoreNumByCoreType(const std::string&) {}
};

class OptionalInfos {
public:
    std::string GetSocVersion() const;
    uint32_t GetAICoreNum() const;
};

}  // namespace fe
