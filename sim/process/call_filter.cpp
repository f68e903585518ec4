// SPDX-License-Identifier: Apache-2.0
#include "sim/process/call_filter.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/base/error.hpp"

namespace ascendsim::process {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#endif

/// A call and what it tries.
struct Tried {
    long call;
    const char* what;
};

constexpr const char* connects = "open a network connection";
constexpr const char* starts = "start a process";
constexpr const char* signals = "signal another process";
constexpr const char* looks = "look into another process";
constexpr const char* changes = "change a file";
constexpr const char* administers = "change the system";

constexpr Tried refused_to_all[]{{SYS_socket, connects},
                                 {SYS_ptrace, looks},
                                 {SYS_process_vm_readv, looks},
                                 {SYS_process_vm_writev, looks},
                                 {SYS_kcmp, looks},
                                 {SYS_pidfd_getfd, looks},
                                 {SYS_shmget, looks},
                                 {SYS_msgget, looks},
                                 {SYS_semget, looks},
                                 {SYS_io_uring_setup, administers},
                                 {SYS_mount, administers},
                                 {SYS_umount2, administers},
                                 {SYS_move_mount, administers},
                                 {SYS_open_tree, administers},
                                 {SYS_fsopen, administers},
                                 {SYS_pivot_root, administers},
                                 {SYS_chroot, administers},
                                 {SYS_setns, administers},
                                 {SYS_unshare, administers},
                                 {SYS_bpf, administers},
                                 {SYS_perf_event_open, administers},
                                 {SYS_userfaultfd, administers},
                                 {SYS_add_key, administers},
                                 {SYS_keyctl, administers},
                                 {SYS_request_key, administers},
                                 {SYS_init_module, administers},
                                 {SYS_finit_module, administers},
                                 {SYS_delete_module, administers},
                                 {SYS_kexec_load, administers},
                                 {SYS_reboot, administers},
                                 {SYS_swapon, administers},
                                 {SYS_swapoff, administers},
                                 {SYS_open_by_handle_at, administers},
                                 {SYS_quotactl, administers},
                                 {SYS_acct, administers},
                                 {SYS_settimeofday, administers},
                                 {SYS_clock_settime, administers},
                                 {SYS_sethostname, administers},
                                 {SYS_setdomainname, administers},
                                 {SYS_mq_open, looks}};

constexpr Tried refused_to_kernels[] {
    {SYS_socketpair, connects}, {SYS_connect, connects}, {SYS_bind, connects}, {SYS_listen, connects},
        {SYS_accept4, connects}, {SYS_sendto, connects}, {SYS_sendmsg, connects}, {SYS_clone, starts},
        {SYS_execve, starts}, {SYS_execveat, starts}, {SYS_setsid, starts}, {SYS_setpgid, starts},
        {SYS_kill, signals}, {SYS_tgkill, signals}, {SYS_tkill, signals}, {SYS_rt_sigqueueinfo, signals},
        {SYS_rt_tgsigqueueinfo, signals}, {SYS_pidfd_send_signal, signals}, {SYS_truncate, changes},
        {SYS_fchmod, changes}, {SYS_fchmodat, changes}, {SYS_fchown, changes}, {SYS_fchownat, changes},
        {SYS_setxattr, changes}, {SYS_lsetxattr, changes}, {SYS_fsetxattr, changes},
        {SYS_removexattr, changes}, {SYS_prctl, administers},
#if defined(__x86_64__)
        {SYS_fork, starts}, {SYS_vfork, starts}, {SYS_chmod, changes}, {SYS_chown, changes},
        {SYS_lchown, changes}, {SYS_accept, connects},
#endif
    {
        SYS_setrlimit, administers
    }
};

/// Calls that name a file. Landlock decides; the handler of SIGSYS makes them and tells of those refused.
constexpr long names_a_file[] {
    SYS_openat, SYS_unlinkat, SYS_renameat2, SYS_mkdirat, SYS_linkat, SYS_symlinkat,
#if defined(__x86_64__)
        SYS_open, SYS_creat, SYS_unlink, SYS_rmdir, SYS_rename, SYS_mkdir, SYS_link, SYS_symlink,
#endif
        SYS_renameat
};

/// What computing takes: memory, threads, time, files that are open, facts about files and the machine.
constexpr long computes[] {
    SYS_read, SYS_write, SYS_close, SYS_fstat, SYS_lseek, SYS_mmap, SYS_mprotect, SYS_munmap, SYS_brk,
        SYS_mremap, SYS_msync, SYS_mincore, SYS_madvise, SYS_mlock, SYS_munlock, SYS_membarrier,
        SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_rt_sigtimedwait,
        SYS_rt_sigsuspend, SYS_sigaltstack, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_preadv,
        SYS_pwritev, SYS_ftruncate, SYS_fallocate, SYS_fadvise64, SYS_fsync, SYS_fdatasync, SYS_sendfile,
        SYS_copy_file_range, SYS_dup, SYS_dup3, SYS_pipe2, SYS_fcntl, SYS_flock, SYS_getdents64, SYS_getcwd,
        SYS_chdir, SYS_fchdir, SYS_umask, SYS_readlinkat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs,
        SYS_faccessat, SYS_eventfd2, SYS_timerfd_create, SYS_timerfd_settime, SYS_timerfd_gettime,
        SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_ppoll, SYS_pselect6, SYS_sched_yield,
        SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_sched_getparam, SYS_sched_getscheduler,
        SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_getpriority, SYS_nanosleep,
        SYS_clock_nanosleep, SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_times, SYS_getitimer,
        SYS_setitimer, SYS_timer_create, SYS_timer_settime, SYS_timer_gettime, SYS_timer_delete, SYS_futex,
        SYS_set_robust_list, SYS_get_robust_list, SYS_rseq, SYS_set_tid_address, SYS_gettid, SYS_getpid,
        SYS_getppid, SYS_getpgid, SYS_getsid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getgroups,
        SYS_uname, SYS_sysinfo, SYS_getrlimit, SYS_getrusage, SYS_getrandom, SYS_getcpu, SYS_wait4,
        SYS_waitid, SYS_restart_syscall, SYS_exit, SYS_exit_group,
#if defined(__x86_64__)
        SYS_arch_prctl, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_dup2, SYS_pipe, SYS_poll,
        SYS_select, SYS_epoll_create, SYS_epoll_wait, SYS_getpgrp, SYS_alarm, SYS_time, SYS_pause,
        SYS_getdents,
#endif
        SYS_get_mempolicy
};

/// Instructions of the machine that judges calls (struct seccomp_data) inside the kernel of the system.
class Filter {
public:
    Filter() {
        load(offsetof(seccomp_data, arch));
        on(architecture, BPF_JEQ, 1, 0);
        give(SECCOMP_RET_KILL_PROCESS);
        load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
        constexpr std::uint32_t x32 = 0x40000000;  // numbers of its calls have this bit
        on(x32, BPF_JGE, 0, 1);
        give(SECCOMP_RET_KILL_PROCESS);
#endif
    }

    /// Answers one call.
    void answer(long call, std::uint32_t action) {
        on(static_cast<std::uint32_t>(call), BPF_JEQ, 0, 1);
        give(action);
    }

    /// What a call is given whose argument, masked, is one of `values`, and what it is given else.
    struct Choice {
        std::uint32_t one_of;
        std::uint32_t other;
    };

    void answer_by(long call,
                   unsigned argument,
                   std::uint32_t mask,
                   std::span<const std::uint32_t> values,
                   Choice choice) {
        const auto skipped = static_cast<std::uint8_t>(3 + 2 * values.size());
        on(static_cast<std::uint32_t>(call), BPF_JEQ, 0, skipped);
        load(offsetof(seccomp_data, args) + sizeof(std::uint64_t) * argument);
        code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
        for (const std::uint32_t value : values) {
            on(value, BPF_JEQ, 0, 1);
            give(choice.one_of);
        }
        give(choice.other);
    }

    /// Everything not answered gets `action`. For good.
    void enforce(std::uint32_t action) {
        give(action);
        sock_fprog program{.len = static_cast<unsigned short>(code_.size()), .filter = code_.data()};
        check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                  syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0U, &program) == 0,
              "seccomp: {}",
              std::strerror(errno));
    }

private:
    void load(std::size_t offset) {
        code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
    }

    void on(std::uint32_t value, std::uint16_t how, std::uint8_t yes, std::uint8_t no) {
        code_.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | how | BPF_K), value, yes, no));
    }

    void give(std::uint32_t action) {
        code_.push_back(BPF_STMT(BPF_RET | BPF_K, action));
    }

    std::vector<sock_filter> code_;
};

constexpr std::uint32_t whole = ~std::uint32_t{0};

std::uint32_t fails_with(int error) {
    return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
}

}  // namespace

void refuse_reaching_out() {
    Filter filter;
    for (const Tried& tried : refused_to_all) {
        filter.answer(tried.call, fails_with(EPERM));
    }
    const std::uint32_t types[]{TIOCSTI, TIOCLINUX};  // into the terminal that we run in
    filter.answer_by(SYS_ioctl, 1, whole, types, {.one_of = fails_with(EPERM), .other = SECCOMP_RET_ALLOW});
    filter.enforce(SECCOMP_RET_ALLOW);
}

void refuse_all_but_computing() {
    Filter filter;
    const auto self = static_cast<std::uint32_t>(getpid());
    const std::uint32_t thread = CLONE_THREAD;
    const std::uint32_t mark = handler_mark;
    const std::uint32_t none = 0;
    constexpr std::uint32_t name_memory = 0x53564D41;  // PR_SET_VMA
    const std::uint32_t names[]{PR_SET_NAME, PR_GET_NAME, name_memory};
    const std::uint32_t questions[]{TCGETS, TIOCGWINSZ, FIONREAD, FIOCLEX, FIONCLEX, FIONBIO};
    constexpr Filter::Choice or_trap{.one_of = SECCOMP_RET_ALLOW, .other = SECCOMP_RET_TRAP};
    for (const long call : computes) {
        filter.answer(call, SECCOMP_RET_ALLOW);
    }
    constexpr unsigned last = 5;
    for (const long call : names_a_file) {
        filter.answer_by(call, last, whole, {&mark, 1}, or_trap);
    }
    filter.answer_by(SYS_clone, 0, CLONE_THREAD, {&thread, 1}, or_trap);
    filter.answer_by(SYS_kill, 0, whole, {&self, 1}, or_trap);
    filter.answer_by(SYS_tgkill, 0, whole, {&self, 1}, or_trap);
    filter.answer_by(SYS_prctl, 0, whole, names, or_trap);
    filter.answer_by(
        SYS_ioctl, 1, whole, questions, {.one_of = SECCOMP_RET_ALLOW, .other = fails_with(ENOTTY)});
    // Limits may be asked for, not set.
    filter.answer_by(
        SYS_prlimit64, 2, whole, {&none, 1}, {.one_of = SECCOMP_RET_ALLOW, .other = fails_with(EPERM)});
    for (const Tried& tried : refused_to_all) {
        filter.answer(tried.call, SECCOMP_RET_TRAP);
    }
    for (const Tried& tried : refused_to_kernels) {
        filter.answer(tried.call, SECCOMP_RET_TRAP);
    }
    filter.enforce(fails_with(ENOSYS));
}

const char* tried_by(long call) {
    for (const std::span<const Tried> list :
         {std::span<const Tried>{refused_to_all}, std::span<const Tried>{refused_to_kernels}}) {
        for (const Tried& tried : list) {
            if (tried.call == call) {
                return tried.what;
            }
        }
    }
    return nullptr;
}

}  // namespace ascendsim::process
