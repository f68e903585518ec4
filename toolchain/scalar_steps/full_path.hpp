// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Path.h>

/// A file's path in full and without `..`. The compiler keeps apart what a file's folder has in common with
/// the one it runs in.
inline std::string full_path(llvm::StringRef folder, llvm::StringRef file) {
    llvm::SmallString<256> path{file.startswith("/") ? file.str() : (folder + "/" + file).str()};
    llvm::sys::path::remove_dots(path, true);
    return path.str().str();
}
