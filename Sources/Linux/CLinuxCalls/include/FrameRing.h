/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINKCOND_FRAME_RING_H
#define LINKCOND_FRAME_RING_H

#include <stdint.h>

/* The frames that leave an interface, from a packet socket whose ring of equal slots is mapped: packet(7), TPACKET_V2. A
 * ring of TPACKET_V3 hands packets over a block at a time, milliseconds later. */
struct lc_frame_ring {
    int descriptor;
    /* The bytes of a slot, and how many there are. */
    uint32_t slot_size, slot_count;
    uint8_t *slots;
    /* The slot that is read next. */
    uint32_t next;
    /* How many slots have been read since the kernel's counters. */
    uint32_t unchecked;
    /* Whether a slot said that frames had been dropped, and those that did not fit into theirs. */
    int is_losing;
    uint64_t truncated;
};

/* The bytes of a slot for frames of `mtu` bytes and their link-layer header. */
uint32_t lc_frame_slot_size(uint32_t mtu);

/* Opens a ring of what leaves `interface` (not what arrives there), with a virtio-net header before each frame. Returns its
 * descriptor, or a negative errno: -EPERM without CAP_NET_RAW. */
int lc_open_frame_ring(int interface, uint32_t slot_size, uint32_t slot_count);

/* Maps the slots of a ring that is open; 0 or a negative errno. */
int lc_map_frame_ring(struct lc_frame_ring *ring, int descriptor, uint32_t slot_size, uint32_t slot_count);
void lc_unmap_frame_ring(struct lc_frame_ring *ring);

/* Copies the next frame with its virtio-net header, as read(2) from a TAP device does: its bytes, or -EAGAIN. */
long lc_read_frame(struct lc_frame_ring *ring, void *buffer, unsigned long count);

/* How many frames there was no slot for, or too small a one, since the last call. Asks the kernel only after the ring may
 * have been full. */
uint64_t lc_take_missed_frames(struct lc_frame_ring *ring);

/* Whether the ring's interface was taken down, or deleted, since the last call. */
int lc_frame_ring_went_down(const struct lc_frame_ring *ring);
/* Whether it has been deleted. The kernel reports that as it reports the other, and a little too early. */
int lc_frame_ring_is_over(const struct lc_frame_ring *ring);

/* A socket to which frames with a virtio-net header are written, to leave `interface` without passing its qdisc. It waits
 * for room, a second at most. A negative errno: -EPERM without CAP_NET_RAW. */
int lc_open_frame_output(int interface);

#endif
