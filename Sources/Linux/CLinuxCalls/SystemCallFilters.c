/* SPDX-License-Identifier: Apache-2.0
 * Filters of seccomp(2): classic BPF programs that decide by the number of a call and the values of its arguments. */
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A 64-bit kernel also accepts the calls of its 32-bit variant, whose numbers differ. */
#if defined(__x86_64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_X86_64
#define NARROW_ARCHITECTURE AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_AARCH64
#define NARROW_ARCHITECTURE AUDIT_ARCH_ARM
#else
#define NATIVE_ARCHITECTURE 0
#define NARROW_ARCHITECTURE 0
#endif
#define NARROW_IOCTL 54
/* x86-64 call numbers from this one on are those of x32. */
#define X32 0x40000000

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
/* Loads the lower half of an argument, on a little-endian machine: for an int, the kernel ignores the upper half. */
#define LOAD_ARGUMENT(number) \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + (number) * 8)
/* Skips `count` instructions if the value is equal; SKIP_UNLESS, if it is not. */
#define SKIP_IF(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0)
#define SKIP_UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count)
#define SKIP_FROM(value, count) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, count, 0)
#define SKIP_IF_ANY(bits, count) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, count, 0)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define FAIL(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static int install(struct sock_filter *instructions, unsigned short count)
{
    if (!NATIVE_ARCHITECTURE)
        return -ENOSYS;
    struct sock_fprog program = {.len = count, .filter = instructions};
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    return result < 0 ? -errno : result > 0 ? -EBUSY : 0;
}

int lc_forbid_terminal_input(void)
{
    struct sock_filter instructions[] = {
        LOAD(arch),
        SKIP_IF(NARROW_ARCHITECTURE, 5),
        SKIP_UNLESS(NATIVE_ARCHITECTURE, 11),
        LOAD(nr),
        SKIP_FROM(X32, 9),
        SKIP_IF(SYS_ioctl, 3),
        ALLOW,
        LOAD(nr),
        SKIP_UNLESS(NARROW_IOCTL, 3),
        LOAD_ARGUMENT(1),
        SKIP_IF(TIOCSTI, 2),
        SKIP_IF(TIOCLINUX, 1),
        ALLOW,
        FAIL(EPERM),
        FAIL(ENOSYS),
    };
    return install(instructions, COUNT(instructions));
}

/* Calls that are allowed with any arguments; the calls made for each packet come first. */
static const int permitted[] = {
    SYS_read, SYS_write, SYS_writev, SYS_epoll_pwait, SYS_timerfd_settime, SYS_clock_gettime, SYS_futex,
#ifdef SYS_epoll_wait
    SYS_epoll_wait, SYS_poll, SYS_epoll_create, SYS_pause,
#endif
    /* Descriptors. */
    SYS_readv, SYS_close, SYS_dup, SYS_dup3, SYS_fcntl, SYS_fstat, SYS_lseek, SYS_ftruncate, SYS_ppoll, SYS_epoll_ctl,
    SYS_epoll_create1, SYS_eventfd2, SYS_timerfd_create, SYS_timerfd_gettime, SYS_memfd_create, SYS_signalfd4,
    SYS_pread64, SYS_pwrite64, SYS_fallocate, SYS_splice, SYS_pipe2,
    /* Open sockets, and sockets that they accept. */
    SYS_accept4, SYS_recvfrom, SYS_sendto, SYS_recvmsg, SYS_sendmsg, SYS_getsockopt, SYS_setsockopt, SYS_getsockname,
    SYS_shutdown,
    /* Memory. */
    SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise, SYS_membarrier,
    /* Threads, signals and the end. */
    SYS_set_robust_list, SYS_rseq, SYS_gettid, SYS_getpid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_getattr, SYS_sched_setattr, SYS_sched_getparam,
    SYS_sched_getscheduler, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack,
    SYS_restart_syscall, SYS_exit, SYS_exit_group,
    /* Time, and facts. */
    SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_getrandom, SYS_uname, SYS_sysinfo,
    SYS_getrusage,
};

/* Calls that read files and the state of the network. */
static const int probing[] = {
#ifdef SYS_readlink
    SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_inotify_init, SYS_getpgrp,
#endif
    SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_faccessat2, SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_fadvise64,
    SYS_inotify_init1, SYS_inotify_add_watch, SYS_inotify_rm_watch, SYS_connect, SYS_bind, SYS_pipe2, SYS_socketpair,
    SYS_listen, SYS_getpeername, SYS_recvmmsg, SYS_sendmmsg, SYS_getppid, SYS_getgroups, SYS_getresuid, SYS_getresgid,
};

struct program {
    struct sock_filter instructions[512];
    unsigned short length;
};

static void add(struct program *program, const struct sock_filter *instructions, int count)
{
    for (int i = 0; i < count; i++)
        program->instructions[program->length++] = instructions[i];
}

static void permit(struct program *program, const int *calls, int count)
{
    for (int i = 0; i < count; i++)
        add(program, (const struct sock_filter[]){SKIP_UNLESS(calls[i], 1), ALLOW}, 2);
}

int lc_limit_system_calls(enum lc_system_calls calls)
{
    const struct sock_filter head[] = {LOAD(arch), SKIP_IF(NATIVE_ARCHITECTURE, 1), FAIL(EPERM), LOAD(nr)};
    const struct sock_filter tail[] = {
        /* Memory must not become executable. */
        SKIP_IF(SYS_mmap, 1),
        SKIP_UNLESS(SYS_mprotect, 4),
        LOAD_ARGUMENT(2),
        SKIP_IF_ANY(PROT_EXEC, 1),
        ALLOW,
        FAIL(EPERM),
        /* New threads, but no processes. clone3 fails with ENOSYS, since its arguments are in memory, out of the
         * filter's reach: the C library then uses clone. */
        SKIP_UNLESS(SYS_clone3, 1),
        FAIL(ENOSYS),
        SKIP_UNLESS(SYS_clone, 4),
        LOAD_ARGUMENT(0),
        SKIP_IF_ANY(CLONE_THREAD, 1),
        FAIL(EPERM),
        ALLOW,
        SKIP_UNLESS(SYS_prctl, 5),
        LOAD_ARGUMENT(0),
        SKIP_IF(PR_SET_NAME, 2),
        SKIP_IF(PR_SET_TIMERSLACK, 1),
        FAIL(EPERM),
        ALLOW,
        /* fstat(3), without a path. */
        SKIP_UNLESS(SYS_newfstatat, 4),
        LOAD_ARGUMENT(3),
        SKIP_IF_ANY(AT_EMPTY_PATH, 1),
        FAIL(EPERM),
        ALLOW,
        /* abort(3). */
        SKIP_UNLESS(SYS_tgkill, 4),
        LOAD_ARGUMENT(0),
        SKIP_IF((unsigned int)getpid(), 1),
        FAIL(EPERM),
        ALLOW,
    };
    const struct sock_filter connecting[] = {
        SKIP_IF(SYS_connect, 4),
        SKIP_UNLESS(SYS_socket, 4),
        LOAD_ARGUMENT(0),
        SKIP_IF(AF_INET, 1),
        SKIP_UNLESS(AF_INET6, 1),
        ALLOW,
    };
    const struct sock_filter opening[] = {
        SKIP_UNLESS(SYS_socket, 7),
        LOAD_ARGUMENT(0),
        SKIP_IF(AF_UNIX, 3),
        SKIP_IF(AF_NETLINK, 2),
        SKIP_IF(AF_INET, 1),
        SKIP_UNLESS(AF_INET6, 1),
        ALLOW,
        FAIL(EPERM),
        /* Files may be opened for reading only. */
        SKIP_UNLESS(SYS_openat, 4),
        LOAD_ARGUMENT(2),
        SKIP_IF_ANY(O_ACCMODE | O_CREAT | O_TRUNC, 1),
        ALLOW,
        FAIL(EPERM),
        /* The resource limits of this process only. */
        SKIP_UNLESS(SYS_prlimit64, 4),
        LOAD_ARGUMENT(0),
        SKIP_UNLESS(0, 1),
        ALLOW,
        FAIL(EPERM),
    };
    struct program program = {.length = 0};
    add(&program, head, COUNT(head));
    permit(&program, permitted, COUNT(permitted));
    if (calls == lc_calls_to_probe) {
        permit(&program, probing, COUNT(probing));
        add(&program, opening, COUNT(opening));
    }
    add(&program, tail, COUNT(tail));
    if (calls == lc_calls_to_connect)
        add(&program, connecting, COUNT(connecting));
    add(&program, (const struct sock_filter[]){FAIL(EPERM)}, 1);
    return install(program.instructions, program.length);
}
