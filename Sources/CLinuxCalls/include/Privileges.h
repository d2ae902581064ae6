/* SPDX-License-Identifier: Apache-2.0
 * What a process may give up for ever: privileges and system calls. Filters of seccomp(2) are arrays of macros. Each call
 * returns 0 or a negative errno. */
#ifndef LINKCOND_PRIVILEGES_H
#define LINKCOND_PRIVILEGES_H

/* Keeps the calling thread and its children from gaining privileges by executing set-user-ID programs or programs with
 * file capabilities: PR_SET_NO_NEW_PRIVS of prctl(2). */
int lc_forbid_new_privileges(void);

/* Removes every capability of the calling thread: capabilities(7). Root could gain them again by executing a program,
 * without lc_forbid_new_privileges. */
int lc_drop_capabilities(void);

/* Keeps other processes of the same user from reading or changing this one: PR_SET_DUMPABLE of prctl(2). */
int lc_forbid_tracing(void);

/* Makes the kernel check the calling thread's access to files as that of this user and group: setfsuid(2), setfsgid(2).
 * Root gets its own back by the same call. */
int lc_set_file_user(unsigned int user, unsigned int group);

/* Makes TIOCSTI and TIOCLINUX of ioctl(2) fail with EPERM: they put text into a terminal's input as if it had been typed.
 * Requires lc_forbid_new_privileges. */
int lc_forbid_terminal_input(void);

/* Makes system calls fail with EPERM, in all threads, except those that work on descriptors, memory, threads and time.
 * Opening files, executing programs and making sockets are not among them; with `may_connect`, sockets of IPv4 and IPv6
 * are. Requires lc_forbid_new_privileges; -EINVAL or -ENOSYS without CONFIG_SECCOMP_FILTER. */
int lc_limit_system_calls(int may_connect);

#endif
