// SPDX-License-Identifier: Apache-2.0
// Lets a user-mode-linux from before 6.14 run on processors with AMX: preloaded into it by `run`.
//
// It saves the extended registers of its processes in a buffer of fixed size, which ends before those of AMX. Linux takes
// back only what it calls complete (xstateregs_set of arch/x86/kernel/fpu/regset.c), and the lab would stop at its first
// process. This completes what it sets by what the process has; none of them uses AMX, which needs arch_prctl(2).
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { header = 512, tile_bits = 3 << 17 };

// As large as processors have it now, and some more. Kernel stacks are small, and the kernel has one thread.
static _Alignas(64) char whole[1 << 15];

long ptrace(enum __ptrace_request request, ...)
{
    va_list rest;
    va_start(rest, request);
    long process = va_arg(rest, long), address = va_arg(rest, long);
    void *data = va_arg(rest, void *);
    va_end(rest);

    // As glibc does, which returns what was peeked at.
    if (request == PTRACE_PEEKTEXT || request == PTRACE_PEEKDATA || request == PTRACE_PEEKUSER) {
        long word = 0;
        long result = syscall(SYS_ptrace, request, process, address, &word);
        if (result < 0) return result;
        errno = 0;
        return word;
    }
    if (request == PTRACE_SETREGSET && address == NT_X86_XSTATE) {
        const struct iovec *part = data;
        struct iovec all = {whole, sizeof whole};
        if (syscall(SYS_ptrace, PTRACE_GETREGSET, process, address, &all) == 0 && part->iov_len < all.iov_len) {
            memcpy(whole, part->iov_base, part->iov_len);
            uint64_t present;
            memcpy(&present, whole + header, sizeof present);
            present &= ~(uint64_t)tile_bits;
            memcpy(whole + header, &present, sizeof present);
            return syscall(SYS_ptrace, request, process, address, &all);
        }
    }
    return syscall(SYS_ptrace, request, process, address, data);
}
