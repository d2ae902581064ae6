/* SPDX-License-Identifier: Apache-2.0 */
#include "CPcap.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct bpf_insn) == sizeof(struct sock_filter), "the same instructions");

struct sock_filter *lc_compile_filter(const char *expression, int link_type, int snap_length, uint16_t *count,
                                      char *error, unsigned int error_size)
{
    struct bpf_program program;
    struct sock_filter *filter = NULL;
    pcap_t *capture = pcap_open_dead(link_type, snap_length);

    if (!capture) {
        snprintf(error, error_size, "out of memory");
        return NULL;
    }
    if (pcap_compile(capture, &program, expression, 1, PCAP_NETMASK_UNKNOWN) < 0) {
        snprintf(error, error_size, "%s", pcap_geterr(capture));
    } else if (program.bf_len > BPF_MAXINSNS) {
        snprintf(error, error_size, "it is too long: %u instructions, of %d", program.bf_len, BPF_MAXINSNS);
        pcap_freecode(&program);
    } else {
        size_t size = program.bf_len * sizeof *filter;
        filter = malloc(size);
        if (filter) {
            memcpy(filter, program.bf_insns, size);
            *count = (uint16_t)program.bf_len;
        } else {
            snprintf(error, error_size, "out of memory");
        }
        pcap_freecode(&program);
    }
    pcap_close(capture);
    return filter;
}

/*
 * libpcap can capture D-Bus messages, for which its static archive needs libdbus. Only its compiler of filters is used
 * here, so these functions replace that part: pcap_open_live and pcap_findalldevs, which call them, are never called.
 */
int dbus_findalldevs(void *devices, char *error);
pcap_t *dbus_create(const char *device, char *error, int *is_ours);

int dbus_findalldevs(void *devices, char *error)
{
    (void)devices;
    (void)error;
    return 0;
}

pcap_t *dbus_create(const char *device, char *error, int *is_ours)
{
    (void)device;
    (void)error;
    *is_ours = 0;
    return NULL;
}
