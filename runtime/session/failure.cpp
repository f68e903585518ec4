// SPDX-License-Identifier: Apache-2.0
// What stopped a run, as an exit code and a sentence.
#include <filesystem>
#include <new>
#include <system_error>

#include "runtime/session/session.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::runtime {

int exit_code(const std::exception_ptr& failure) {
    constexpr int user = 2;
    constexpr int program = 3;
    constexpr int ours = 4;
    try {
        std::rethrow_exception(failure);
    } catch (const UserError&) {
        return user;
    } catch (const ProgramError&) {
        return program;
    } catch (const std::bad_alloc&) {
        return user;  // the machine is too small for what was asked
    } catch (const std::system_error&) {
        return user;  // so is a limit of the system's, or a name is too long
    } catch (...) {
        return ours;
    }
}

std::string message(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::bad_alloc&) {
        return "the host has not enough memory for this run: try a smaller shape, or --timing-only";
    } catch (const std::filesystem::filesystem_error& error) {
        return fmt::format("{}: {}", error.path1().string(), error.code().message());
    } catch (const std::system_error& error) {
        return fmt::format("the system refuses: {} (a limit of memory, processes or threads?)",
                           error.code().message());
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an unknown exception";
    }
}

}  // namespace ascendsim::runtime
