// SPDX-License-Identifier: Apache-2.0
#include "runtime/twins/twins.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/session/isolated.hpp"
#include "sim/base/error.hpp"
#include "sim/process/descriptors.hpp"

namespace ascendsim::runtime {
namespace {

using nlohmann::ordered_json;

/// What the process that waits is asked.
struct Request {
    TwinOrder order{};
    bool ends = false;  // nothing more: a kernel's sandbox lets no process be ended by a signal
};

static_assert(std::is_trivially_copyable_v<Request>);

bool read_all(int file, void* to, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t count = read(file, static_cast<char*>(to) + done, bytes - done);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return false;
        }
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    return true;
}

bool write_all(int file, const void* from, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t count = write(file, static_cast<const char*>(from) + done, bytes - done);
        if (count <= 0 && errno != EINTR) {
            return false;
        }
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    return true;
}

/// What the twins print was printed by the run itself.
void be_silent() {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
}

}  // namespace

Twins::Twins(Work work) : written_{process::opened(memfd_create("results", MFD_CLOEXEC), "memfd_create")} {
    const process::PipeEnds requests = process::open_pipe();
    const process::PipeEnds answers = process::open_pipe();
    std::fflush(stdout);
    std::fflush(stderr);
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) {
            _exit(1);
        }
        close(requests.write);
        close(answers.read);
        requests_ = requests.read;
        answers_ = answers.write;
        serve(work);
    }
    close(requests.read);
    close(answers.write);
    requests_ = requests.write;
    answers_ = answers.read;
}

Twins::~Twins() {
    if (is_there()) {
        const Request last{.ends = true};
        static_cast<void>(write_all(requests_, &last, sizeof last));
    }
    close(requests_);
    close(answers_);
    close(written_);
    if (process_ > 0) {
        waitpid(process_, nullptr, 0);
    }
}

void Twins::serve(const Work& work) {
    be_silent();
    for (Request request; read_all(requests_, &request, sizeof request) && !request.ends;) {
        std::string answer;
        try {
            answer = run_isolated([&] { return work(request.order, written_); }).value.dump();
        } catch (const std::exception&) {  // no process can be started: no answer
            answer.clear();
        }
        const std::uint64_t bytes = answer.size();
        if (!write_all(answers_, &bytes, sizeof bytes) || !write_all(answers_, answer.data(), bytes)) {
            break;
        }
    }
    _exit(0);
}

bool Twins::is_there() {
    if (process_ > 0 && waitpid(process_, nullptr, WNOHANG) != 0) {
        process_ = -1;
    }
    return process_ > 0;
}

std::optional<ordered_json> Twins::run(const TwinOrder& order) {
    constexpr std::uint64_t most = std::uint64_t{1} << 30U;
    std::uint64_t bytes = 0;
    const Request request{.order = order};
    static_cast<void>(ftruncate(written_, 0));
    static_cast<void>(lseek(written_, 0, SEEK_SET));
    if (!is_there() || !write_all(requests_, &request, sizeof request) ||
        !read_all(answers_, &bytes, sizeof bytes) || bytes > most) {
        return std::nullopt;
    }
    std::string answer(bytes, ' ');
    if (!read_all(answers_, answer.data(), bytes)) {
        return std::nullopt;
    }
    ordered_json value = ordered_json::parse(answer, nullptr, false);
    return value.is_discarded() ? std::nullopt : std::optional{std::move(value)};
}

std::string Twins::bytes() const {
    struct stat state {};

    if (fstat(written_, &state) != 0 || state.st_size <= 0) {
        return {};
    }
    std::string text(static_cast<std::size_t>(state.st_size), ' ');
    const ssize_t count = pread(written_, text.data(), text.size(), 0);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
}

}  // namespace ascendsim::runtime
