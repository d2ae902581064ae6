/* SPDX-License-Identifier: Apache-2.0
 * The few Linux calls that Swift cannot import. Each answers 0 (or a count) or a negative errno. */
#ifndef LINKCOND_CLINUXCALLS_H
#define LINKCOND_CLINUXCALLS_H

/* Moves the calling thread into the network namespace that `path` names: setns(2) wants _GNU_SOURCE,
 * which Swift's Glibc import does not set. */
int lc_enter_network_namespace(const char *path);

/* Moves the calling process into a new network namespace, in a new user namespace where `with_user`;
 * unshare(2) wants _GNU_SOURCE. A new user namespace needs a process of one thread. */
int lc_unshare_network(int with_user);

/* How many tcx programs are attached to the interface on ingress (egress == 0) or egress; bpf(2) has no
 * wrapper in glibc. -EINVAL where the kernel has no tcx (before 6.6). */
int lc_count_tcx_programs(unsigned int interface_index, int egress);

#endif
