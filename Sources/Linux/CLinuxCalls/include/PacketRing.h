/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PACKET_RING_H
#define PACKET_RING_H

#include <linux/filter.h>
#include <stdint.h>

/* A packet socket with a mapped ring: packet(7), TPACKET_V3. */
struct lc_packet_ring {
    int descriptor;
    uint8_t *blocks;
    uint32_t block_size, block_count;
    /* The index of the block to read next. */
    uint32_t block;
};

/* A packet in the ring; valid until its block is released. */
struct lc_ring_packet {
    /* The captured bytes, from the link-layer header on. */
    const uint8_t *bytes;
    uint32_t kept, length;
    /* Nanoseconds since 1970. */
    int64_t time;
    int32_t interface;
    /* PACKET_HOST, PACKET_OUTGOING and so on, of <linux/if_packet.h>. */
    uint8_t kind;
    /* ARPHRD of the interface, <net/if_arp.h>. */
    uint16_t hardware;
    /* An 802.1Q tag that is not in the bytes; 0 for none. */
    uint16_t vlan_type, vlan;
    /* The payload bytes in each wire packet of a super-packet; 0 for a single packet. */
    uint16_t segment_size;
};

/* Opens a ring on `interface`, or on all interfaces for 0, with `count` filter instructions. Returns 0, or -1 and
 * errno. */
int lc_open_packet_ring(struct lc_packet_ring *ring, int interface, const struct sock_filter *filter, uint16_t count,
                        uint32_t block_size, uint32_t block_count, uint32_t pause_milliseconds);
void lc_close_packet_ring(struct lc_packet_ring *ring);

/* The number of packets in the next block; -1 if the kernel is still filling it. */
int lc_ring_block(const struct lc_packet_ring *ring);
/* The position of the next block's first packet, for lc_ring_packet. */
const void *lc_ring_first(const struct lc_packet_ring *ring);
/* Reads the packet at the position `place`; returns the position of the next packet. */
const void *lc_ring_packet(const void *place, struct lc_ring_packet *packet);
/* Returns the present block to the kernel, and moves on to the next. */
void lc_ring_release(struct lc_packet_ring *ring);

/* Reads the kernel's counters since the last call; `received` includes `dropped`. Returns 0, or -1 and errno. */
int lc_ring_statistics(const struct lc_packet_ring *ring, uint64_t *received, uint64_t *dropped);

#endif
