/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINKCOND_FRAME_RING_H
#define LINKCOND_FRAME_RING_H

#include <stdint.h>

/* Receives the frames that leave an interface, by a packet socket with a mapped ring of equal slots: packet(7),
 * TPACKET_V2. A TPACKET_V3 ring delivers packets in blocks, milliseconds later. */
struct lc_frame_ring {
    int descriptor;
    /* The size of a slot in bytes, and the number of slots. */
    uint32_t slot_size, slot_count;
    uint8_t *slots;
    /* The index of the slot to read next. */
    uint32_t next;
    /* The number of slots read since the kernel's counters were last read. */
    uint32_t unchecked;
    /* Whether a slot's status reported dropped frames; and the number of frames that did not fit into their slots. */
    int is_losing;
    uint64_t truncated;
};

/* The size of a slot, in bytes, for frames of `mtu` bytes and their link-layer header. */
uint32_t lc_frame_slot_size(uint32_t mtu);

/* Opens a ring for frames that leave `interface` (not for arriving ones), with a virtio-net header before each frame.
 * Returns its descriptor, or a negative errno: -EPERM without CAP_NET_RAW. */
int lc_open_frame_ring(int interface, uint32_t slot_size, uint32_t slot_count);

/* Maps the slots of an open ring; 0 or a negative errno. */
int lc_map_frame_ring(struct lc_frame_ring *ring, int descriptor, uint32_t slot_size, uint32_t slot_count);
void lc_unmap_frame_ring(struct lc_frame_ring *ring);

/* Copies the next frame with its virtio-net header, like read(2) from a TAP device; returns the number of bytes, or
 * -EAGAIN. */
long lc_read_frame(struct lc_frame_ring *ring, void *buffer, unsigned long count);

/* The number of frames lost since the last call, because no slot was free or the slot was too small. Queries the kernel
 * only if the ring may have been full. */
uint64_t lc_take_missed_frames(struct lc_frame_ring *ring);

/* Whether the ring's interface was taken down, or deleted, since the last call. */
int lc_frame_ring_went_down(const struct lc_frame_ring *ring);
/* Whether the ring's interface has been deleted. The kernel reports that in the same way as taking it down, slightly
 * before the deletion. */
int lc_frame_ring_is_over(const struct lc_frame_ring *ring);

/* Opens a socket for frames with a virtio-net header, which leave `interface` without passing its qdisc. A write waits
 * for buffer space, a second at most. Returns a negative errno on failure: -EPERM without CAP_NET_RAW. */
int lc_open_frame_output(int interface);

#endif
