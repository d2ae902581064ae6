/* SPDX-License-Identifier: Apache-2.0 */
#include "CLinuxCalls.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From linux/bpf.h of Linux 6.6; Debian 12 has an older one. */
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
