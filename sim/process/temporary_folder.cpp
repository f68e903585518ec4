// SPDX-License-Identifier: Apache-2.0
#include "sim/process/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include <unistd.h>

#include "sim/base/error.hpp"

namespace ascendsim::process {

TemporaryFolder::TemporaryFolder() : owner_{getpid()} {
    std::string name = (std::filesystem::temp_directory_path() / "ascendsim-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw UserError{"{}: cannot be created: {}; TMPDIR names another place for temporary files",
                        name,
                        std::strerror(errno)};
    }
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    if (owner_ == getpid()) {
        std::error_code gone;
        std::filesystem::remove_all(path_, gone);
    }
}

}  // namespace ascendsim::process
