/* SPDX-License-Identifier: Apache-2.0
 * The few Linux calls that Swift cannot import: those that want _GNU_SOURCE, have no wrapper in glibc, are variadic,
 * or are macros. Each answers 0 (or a number) or a negative errno, unless it says otherwise. */
#ifndef LINKCOND_CLINUXCALLS_H
#define LINKCOND_CLINUXCALLS_H

#include <sys/mount.h>
#include <sys/signalfd.h>

#include "Sockets.h"
#include "Tap.h"

/* Kinds of namespaces; values of our own, since sched.h shows its constants under _GNU_SOURCE only. */
enum {
    lc_network_namespace = 1,
    lc_mount_namespace = 2,
    /* A new user namespace needs a process of one thread. */
    lc_user_namespace = 4,
};

/* Moves the calling thread into the network namespace that `path` names: setns(2). */
int lc_enter_network_namespace(const char *path);

/* Moves the calling process into new namespaces of the kinds given: unshare(2). */
int lc_unshare(int kinds);

/* How many tcx programs are attached to the interface on ingress (egress == 0) or egress: bpf(2).
 * -EINVAL where the kernel has no tcx (before 6.6). */
int lc_count_tcx_programs(unsigned int interface_index, int egress);

/* fork(2), which Swift withholds: sound in a process of one thread. */
int lc_fork(void);

/* Makes the calling process the one that inherits the orphans below it: prctl(PR_SET_CHILD_SUBREAPER). */
int lc_inherit_orphans(void);

/* Has the kernel send `signal` to the calling process when the thread that forked it ends:
 * prctl(PR_SET_PDEATHSIG). Undone by setuid(2) and by programs with rights of their own. */
int lc_die_with_parent(int signal);

/* What ps(1) shows of the calling process: its name (15 bytes), and in the place of its arguments `title`, cut to
 * the room that they had. */
void lc_set_title(const char *name, const char *title);

/* A listening stream socket, and a connection to one, by a name in the abstract namespace of unix(7): it belongs to the
 * network namespace, and ends with its socket. Closed on exec. */
int lc_listen_abstract(const char *name);
int lc_connect_abstract(const char *name);

/* The next connection to a listening socket, closed on exec. */
int lc_accept(int socket);

/* The user at the other end of a unix socket, as of when it was connected: SO_PEERCRED of unix(7). */
int lc_peer_user(int socket, unsigned int *user);

/* Sends one descriptor over a unix socket, with one byte: SCM_RIGHTS of unix(7). */
int lc_send_descriptor(int socket, int descriptor);

/* The descriptor that was sent, closed on exec; -ENODATA once the other end is closed. */
int lc_receive_descriptor(int socket);

/* A file in memory that ends with its last descriptor, closed on exec: memfd_create(2). */
int lc_open_memory(const char *name);

/* A descriptor that wakes whoever polls it: eventfd(2). */
int lc_open_eventfd(void);

/* Makes it readable, from any thread. */
void lc_signal_eventfd(int descriptor);

/* Makes it unreadable again. */
void lc_clear_eventfd(int descriptor);

/* A descriptor that becomes readable when somebody sets the clock, or the machine wakes from sleep:
 * TFD_TIMER_CANCEL_ON_SET of timerfd_create(2). */
int lc_open_clock_watch(void);

/* Has it wait for the next time. */
void lc_clear_clock_watch(int descriptor);

/* What SO_PEERCRED of unix(7) tells of the process at the other end; struct ucred wants _GNU_SOURCE. */
struct lc_credentials {
    int process;
    unsigned int user;
    unsigned int group;
};

#endif
