/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int lc_enter_network_namespace(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return -errno;
    int result = setns(descriptor, CLONE_NEWNET) < 0 ? -errno : 0;
    close(descriptor);
    return result;
}

int lc_unshare_network(int with_user)
{
    return unshare(CLONE_NEWNET | (with_user ? CLONE_NEWUSER : 0)) < 0 ? -errno : 0;
}

/* From linux/bpf.h of 6.6; Debian 12's ends before it. */
enum { LC_BPF_TCX_INGRESS = 46, LC_BPF_TCX_EGRESS = 47 };

int lc_count_tcx_programs(unsigned int interface_index, int egress)
{
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof(attributes));
    attributes.query.target_fd = interface_index; /* named target_ifindex since 6.6, same place */
    attributes.query.attach_type = egress ? LC_BPF_TCX_EGRESS : LC_BPF_TCX_INGRESS;
    if (syscall(SYS_bpf, BPF_PROG_QUERY, &attributes, sizeof(attributes)) < 0)
        return -errno;
    return (int)attributes.query.prog_cnt;
}
