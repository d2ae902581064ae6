/* SPDX-License-Identifier: Apache-2.0
 * Dropping privileges and system calls permanently. Filters of seccomp(2) are arrays of macros. Each call returns 0 or
 * a negative errno. */
#ifndef LINKCOND_PRIVILEGES_H
#define LINKCOND_PRIVILEGES_H

#include <linux/capability.h>

/* Removes every capability of the calling thread except the bits in `kept`, which become effective if the thread has
 * them: capabilities(7). Without PR_SET_NO_NEW_PRIVS, root could regain the others by executing a program. */
int lc_limit_capabilities(unsigned long long kept);

/* Whether the calling thread has all capabilities in `wanted`: 1 or 0. */
int lc_has_capabilities(unsigned long long wanted);

/* Limits the capabilities of programs that this process and its children execute to `kept`: the bounding set. */
int lc_bound_capabilities(unsigned long long kept);

/* Removes every capability of the calling thread except those in `kept`, which the programs that it executes inherit:
 * the ambient set. */
int lc_inherit_capabilities(unsigned long long kept);

/* Makes the kernel check the calling thread's file access with the rights of this user and group: setfsuid(2),
 * setfsgid(2). Root can restore its own rights by the same call. */
int lc_set_file_user(unsigned int user, unsigned int group);

/* Makes TIOCSTI and TIOCLINUX of ioctl(2) fail with EPERM: they put text into a terminal's input as if it had been typed.
 * Requires PR_SET_NO_NEW_PRIVS. */
int lc_forbid_terminal_input(void);

enum lc_system_calls {
    /* Calls that work on descriptors, memory, threads and time, but do not open files, execute programs or make
     * sockets. */
    lc_calls_on_descriptors,
    /* Also making IPv4 and IPv6 sockets. */
    lc_calls_to_connect,
    /* Also making unix and netlink sockets, and opening files for reading. */
    lc_calls_to_probe,
};

/* Makes all other system calls fail with EPERM, in all threads. Requires PR_SET_NO_NEW_PRIVS; -EINVAL or -ENOSYS
 * without CONFIG_SECCOMP_FILTER. */
int lc_limit_system_calls(enum lc_system_calls calls);

#endif
