/* SPDX-License-Identifier: Apache-2.0
 * The few Linux calls that Swift cannot import: those that need _GNU_SOURCE, have no wrapper in glibc, are variadic,
 * or are macros. Each returns 0 (or a number) or a negative errno, unless stated otherwise. */
#ifndef LINKCOND_CLINUXCALLS_H
#define LINKCOND_CLINUXCALLS_H

#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>

#include "FrameRing.h"
#include "Gateway.h"
#include "Mirror.h"
#include "PacketRing.h"
#include "Privileges.h"
#include "Sockets.h"
#include "Tap.h"

/* Copies a description of the program's source, such as "commit 0123456789, 2026-01-31", to `text`; empty if
 * unknown. */
void lc_read_build(char text[64]);

/* Kinds of namespaces; sched.h defines its constants under _GNU_SOURCE only. */
enum {
    lc_network_namespace = 1,
    lc_mount_namespace = 2,
    /* A new user namespace requires a process with a single thread. */
    lc_user_namespace = 4,
};

/* Moves the calling thread into the network namespace `path`: setns(2). */
int lc_enter_network_namespace(const char *path);

/* Moves the calling thread into the mount namespace `path`, to its root: setns(2). The thread must not share its
 * working directory and root with another. */
int lc_enter_mount_namespace(const char *path);

/* Moves the calling process into new namespaces of the given kinds: unshare(2). */
int lc_unshare(int kinds);

/* The number of tcx programs that are attached to the interface on ingress (egress == 0) or egress: bpf(2).
 * -EINVAL if the kernel has no tcx (before 6.6). */
int lc_count_tcx_programs(unsigned int interface_index, int egress);

/* Loads a program of bpf(2) for filters of tc: count instructions of eight bytes. Returns its descriptor, or -errno:
 * -EPERM without CAP_BPF and CAP_NET_ADMIN in the initial user namespace. */
int lc_load_classifier(const void *instructions, unsigned int count);

/* Makes a word of 64 bits that BPF programs and processes share, a bpf(2) map with one value for mmap(2), and returns
 * its descriptor, closed on exec. Needs Linux 5.5; -EPERM as for lc_load_classifier. */
int lc_open_shared_word(void);

/* Opens the loaded program with the kernel's number `id`; returns its descriptor or -errno. Needs CAP_SYS_ADMIN. */
int lc_open_classifier(unsigned int id);

/* Runs a program on one frame of at least 14 bytes, as at the egress of loopback; stores its return value in
 * `answer`. */
int lc_run_classifier(int program, const void *frame, unsigned int length, unsigned int *answer);

/* fork(2), which Swift does not import: safe in a process with a single thread. The child starts in the control group
 * with the directory descriptor `group`, if the kernel supports that (CLONE_INTO_CGROUP, since 5.7); for -1, in the
 * caller's. */
int lc_fork(int group);

/* Starts the program that the descriptor `program` refers to, also in a process with several threads: the child calls
 * only async-signal-safe functions. Its standard input is /dev/null, no signal is blocked in it, and it is killed when
 * the calling thread ends; its own children are not. Returns its process ID or -errno. If the program cannot be
 * executed, the child exits with status 127. */
int lc_start_program(int program, char *const arguments[], int output, int errors);

/* prctl(2), which is variadic, for the options with one argument. */
int lc_prctl(int option, unsigned long value);

/* Makes the calling process inherit its orphaned descendants: PR_SET_CHILD_SUBREAPER. */
int lc_inherit_orphans(void);

/* Opens a descriptor, closed on exec, that refers to one process even after its ID is reused: pidfd_open(2).
 * lc_signal_process sends a signal to that process. */
int lc_open_process(int process);
void lc_signal_process(int descriptor, int signal);

/* Unblocks SIGINT, SIGTERM, SIGHUP and SIGQUIT, and handles those that are not ignored: the first signal is only
 * recorded; the second has its default effect. */
void lc_note_interruption(void);

/* The recorded signal; 0 for none. */
int lc_interruption(void);

/* Removes the environment variables whose names start with `prefix`. */
void lc_unset_variables(const char *prefix);

/* Sets the calling process's name in ps(1) (15 bytes), and overwrites its arguments with `title`, truncated to their
 * length. */
void lc_set_title(const char *name, const char *title);

/* Opens a listening stream socket, or a connection to one, at the file `name` of `directory`, to which only its owner
 * and root may connect. The file stays when the socket is closed. Closed on exec. -EAGAIN if too many connections wait
 * for the listener. */
int lc_listen_in(const char *directory, const char *name);
int lc_connect_in(const char *directory, const char *name);

/* Accepts the next connection of a listening socket, closed on exec. */
int lc_accept(int socket);

/* The process, user and group at the other end of a unix socket: SO_PEERCRED of unix(7), whose struct ucred requires
 * _GNU_SOURCE. The process is 0 if it is in a PID namespace that is neither the caller's nor below it. */
struct lc_credentials {
    int process;
    unsigned int user;
    unsigned int group;
};

/* Reads them as of when the socket was connected or, for a client's end, when its listener started to listen. All are
 * -1 if unknown. */
struct lc_credentials lc_peer(int socket);

/* Sends one descriptor over a unix socket, with one byte: SCM_RIGHTS of unix(7). */
int lc_send_descriptor(int socket, int descriptor);

/* Receives a descriptor, closed on exec; -ENODATA if the other end is closed. */
int lc_receive_descriptor(int socket);

/* A copy of a descriptor, closed on exec: F_DUPFD_CLOEXEC of fcntl(2). */
int lc_duplicate(int descriptor);

/* A file in memory that is deleted with its last descriptor, closed on exec: memfd_create(2). */
int lc_open_memory(const char *name);

/* Clears a descriptor of eventfd(2) or timerfd_create(2), so that it is no longer readable. */
void lc_clear_eventfd(int descriptor);

/* A descriptor that becomes readable when the clock is set or the machine resumes from sleep:
 * TFD_TIMER_CANCEL_ON_SET of timerfd_create(2). */
int lc_open_clock_watch(void);

/* Clears a descriptor of lc_open_clock_watch until the next such event. */
void lc_clear_clock_watch(int descriptor);

#endif
