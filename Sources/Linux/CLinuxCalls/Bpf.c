/* SPDX-License-Identifier: Apache-2.0 */
#include "CLinuxCalls.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From linux/bpf.h of Linux 6.6; the header of Debian 12 is older. */
enum { LC_BPF_TCX_INGRESS = 46, LC_BPF_TCX_EGRESS = 47 };

static int bpf(int command, union bpf_attr *attributes)
{
    int result = (int)syscall(SYS_bpf, command, attributes, sizeof(*attributes));
    return result < 0 ? -errno : result;
}

int lc_count_tcx_programs(unsigned int interface_index, int egress)
{
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof(attributes));
    attributes.query.target_fd = interface_index; /* named target_ifindex since 6.6, at the same offset */
    attributes.query.attach_type = egress ? LC_BPF_TCX_EGRESS : LC_BPF_TCX_INGRESS;
    int result = bpf(BPF_PROG_QUERY, &attributes);
    return result < 0 ? result : (int)attributes.query.prog_cnt;
}

int lc_load_classifier(const void *instructions, unsigned int count)
{
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof(attributes));
    attributes.prog_type = BPF_PROG_TYPE_SCHED_CLS;
    attributes.insns = (uintptr_t)instructions;
    attributes.insn_cnt = count;
    /* The kernel allows only GPL-compatible programs to call bpf_check_mtu. This program is the one that
     * FailOpenProgram.swift writes, and may be used under either licence. */
    attributes.license = (uintptr_t)"Dual MIT/GPL";
    memcpy(attributes.prog_name, "linkcond", sizeof("linkcond"));
    return bpf(BPF_PROG_LOAD, &attributes);
}

int lc_open_shared_word(void)
{
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof(attributes));
    attributes.map_type = BPF_MAP_TYPE_ARRAY;
    attributes.key_size = sizeof(uint32_t);
    attributes.value_size = sizeof(uint64_t);
    attributes.max_entries = 1;
    attributes.map_flags = BPF_F_MMAPABLE;
    memcpy(attributes.map_name, "linkcond", sizeof("linkcond"));
    return bpf(BPF_MAP_CREATE, &attributes);
}

int lc_open_classifier(unsigned int id)
{
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof(attributes));
    attributes.prog_id = id;
    return bpf(BPF_PROG_GET_FD_BY_ID, &attributes);
}

int lc_run_classifier(int program, const void *frame, unsigned int length, unsigned int *answer)
{
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof(attributes));
    attributes.test.prog_fd = (uint32_t)program;
    attributes.test.data_in = (uintptr_t)frame;
    attributes.test.data_size_in = length;
    int result = bpf(BPF_PROG_TEST_RUN, &attributes);
    *answer = attributes.test.retval;
    return result;
}
