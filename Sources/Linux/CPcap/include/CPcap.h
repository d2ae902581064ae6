/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CPCAP_H
#define CPCAP_H

#include <linux/filter.h>
#include <stdint.h>

/*
 * Compiles an expression of pcap-filter(7) for packets of the kind `link_type` (a DLT of pcap/dlt.h), of which
 * `snap_length` bytes are captured. Returns an array of *count instructions, to be freed with free(3); or NULL, and
 * stores a message in `error`.
 */
struct sock_filter *lc_compile_filter(const char *expression, int link_type, int snap_length, uint16_t *count,
                                      char *error, unsigned int error_size);

#endif
