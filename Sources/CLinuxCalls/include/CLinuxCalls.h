/* SPDX-License-Identifier: Apache-2.0
 * The few Linux calls that Swift cannot import: those that need _GNU_SOURCE, have no wrapper in glibc, are variadic,
 * or are macros. Each returns 0 (or a number) or a negative errno, unless stated otherwise. */
#ifndef LINKCOND_CLINUXCALLS_H
#define LINKCOND_CLINUXCALLS_H

#include <sys/mount.h>
#include <sys/signalfd.h>

#include "Sockets.h"
#include "Tap.h"

/* Kinds of namespaces; sched.h defines its constants under _GNU_SOURCE only. */
enum {
    lc_network_namespace = 1,
    lc_mount_namespace = 2,
    /* A new user namespace requires a process with a single thread. */
    lc_user_namespace = 4,
};

/* Moves the calling thread into the network namespace `path`: setns(2). */
int lc_enter_network_namespace(const char *path);

/* Moves the calling process into new namespaces of the kinds given: unshare(2). */
int lc_unshare(int kinds);

/* The number of tcx programs that are attached to the interface on ingress (egress == 0) or egress: bpf(2).
 * -EINVAL if the kernel has no tcx (before 6.6). */
int lc_count_tcx_programs(unsigned int interface_index, int egress);

/* fork(2), which Swift does not import: safe in a process with a single thread. */
int lc_fork(void);

/* Makes the calling process inherit its orphaned descendants: prctl(PR_SET_CHILD_SUBREAPER). */
int lc_inherit_orphans(void);

/* Makes the kernel send `signal` to the calling process when the thread that forked it ends:
 * prctl(PR_SET_PDEATHSIG). Reset by setuid(2) and by executing set-user-ID programs. */
int lc_die_with_parent(int signal);

/* Sets what ps(1) shows of the calling process: its name (15 bytes) and its arguments, which `title` replaces, truncated
 * to their length. */
void lc_set_title(const char *name, const char *title);

/* A listening stream socket, and a connection to one, by an abstract name of unix(7), which belongs to the network
 * namespace and ends with its socket. Closed on exec. */
int lc_listen_abstract(const char *name);
int lc_connect_abstract(const char *name);

/* The next connection to a listening socket, closed on exec. */
int lc_accept(int socket);

/* The user at the other end of a unix socket, as of when it was connected: SO_PEERCRED of unix(7). */
int lc_peer_user(int socket, unsigned int *user);

/* Sends one descriptor over a unix socket, with one byte: SCM_RIGHTS of unix(7). */
int lc_send_descriptor(int socket, int descriptor);

/* Receives a descriptor, closed on exec; -ENODATA after the other end has been closed. */
int lc_receive_descriptor(int socket);

/* A file in memory that is deleted with its last descriptor, closed on exec: memfd_create(2). */
int lc_open_memory(const char *name);

/* A descriptor that wakes the thread that polls it: eventfd(2). */
int lc_open_eventfd(void);

/* Makes it readable, from any thread. */
void lc_signal_eventfd(int descriptor);

/* Makes it unreadable again. */
void lc_clear_eventfd(int descriptor);

/* A descriptor that becomes readable when the clock is set or the machine resumes from sleep:
 * TFD_TIMER_CANCEL_ON_SET of timerfd_create(2). */
int lc_open_clock_watch(void);

/* Makes it unreadable until the next time. */
void lc_clear_clock_watch(int descriptor);

/* The process at the other end: SO_PEERCRED of unix(7); struct ucred requires _GNU_SOURCE. */
struct lc_credentials {
    int process;
    unsigned int user;
    unsigned int group;
};

#endif
