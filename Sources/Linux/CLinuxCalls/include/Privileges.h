/* SPDX-License-Identifier: Apache-2.0
 * What a process may give up for ever: privileges and system calls. Filters of seccomp(2) are arrays of macros. Each call
 * returns 0 or a negative errno. */
#ifndef LINKCOND_PRIVILEGES_H
#define LINKCOND_PRIVILEGES_H

#include <linux/capability.h>

/* Removes every capability of the calling thread but those in `kept`, one bit each, which become effective if it has them:
 * capabilities(7). Root could gain the others again by executing a program, without PR_SET_NO_NEW_PRIVS. */
int lc_limit_capabilities(unsigned long long kept);

/* Whether the calling thread has all of these: 1 or 0. */
int lc_has_capabilities(unsigned long long wanted);

/* Keeps programs that this process and its children execute from having capabilities other than these: the bounding set. */
int lc_bound_capabilities(unsigned long long kept);

/* Removes every capability of the calling thread but those in `kept`, which the programs that it executes have, too: the
 * ambient set. */
int lc_inherit_capabilities(unsigned long long kept);

/* Makes the kernel check the calling thread's access to files as that of this user and group: setfsuid(2), setfsgid(2).
 * Root gets its own back by the same call. */
int lc_set_file_user(unsigned int user, unsigned int group);

/* Makes TIOCSTI and TIOCLINUX of ioctl(2) fail with EPERM: they put text into a terminal's input as if it had been typed.
 * Requires PR_SET_NO_NEW_PRIVS. */
int lc_forbid_terminal_input(void);

enum lc_system_calls {
    /* Those that work on descriptors, memory, threads and time. Opening files, executing programs and making sockets are
     * not among them. */
    lc_calls_on_descriptors,
    /* Sockets of IPv4 and IPv6, too. */
    lc_calls_to_connect,
    /* And unix and netlink sockets, and files for reading. */
    lc_calls_to_probe,
};

/* Makes all other system calls fail with EPERM, in all threads. Requires PR_SET_NO_NEW_PRIVS; -EINVAL or -ENOSYS
 * without CONFIG_SECCOMP_FILTER. */
int lc_limit_system_calls(enum lc_system_calls calls);

#endif
