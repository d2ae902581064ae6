/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "FrameRing.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* The bytes of a slot before the payload: the slot's header, the address of packet(7) and the virtio-net header, each
 * aligned; then the Ethernet header, with room for a tag. */
enum { slot_overhead = 96 + ETH_HLEN + 4, block_size = 1 << 16 };

uint32_t lc_frame_slot_size(uint32_t mtu)
{
    uint32_t size = 2048;
    while (size < mtu + slot_overhead)
        size *= 2;
    return size;
}

static int bind_to(int descriptor, int interface, int protocol)
{
    struct sockaddr_ll address = {
        .sll_family = AF_PACKET, .sll_protocol = htons((uint16_t)protocol), .sll_ifindex = interface,
    };
    return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}

static int prepare_ring(int descriptor, int interface, uint32_t slot_size, uint32_t slot_count)
{
    int version = TPACKET_V2, one = 1;
    uint32_t block = slot_size > block_size ? slot_size : block_size;
    struct tpacket_req request = {
        .tp_block_size = block,
        .tp_block_nr = slot_count / (block / slot_size),
        .tp_frame_size = slot_size,
        .tp_frame_nr = slot_count,
    };
    struct sock_filter leaving[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SKF_AD_OFF + SKF_AD_PKTTYPE),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_OUTGOING, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0xFFFFFFFF),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    struct sock_fprog program = {.len = 4, .filter = leaving};
    if (setsockopt(descriptor, SOL_PACKET, PACKET_VERSION, &version, sizeof version) < 0 ||
        /* Set before the ring, which then leaves room for the virtio-net header. */
        setsockopt(descriptor, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one) < 0 ||
        setsockopt(descriptor, SOL_PACKET, PACKET_RX_RING, &request, sizeof request) < 0 ||
        setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) < 0 ||
        bind_to(descriptor, interface, ETH_P_ALL) < 0)
        return -errno;
    return 0;
}

int lc_open_frame_ring(int interface, uint32_t slot_size, uint32_t slot_count)
{
    /* Protocol 0: no packets before bind(2). */
    int descriptor = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return -errno;
    int result = prepare_ring(descriptor, interface, slot_size, slot_count);
    if (result == 0)
        return descriptor;
    close(descriptor);
    return result;
}

int lc_map_frame_ring(struct lc_frame_ring *ring, int descriptor, uint32_t slot_size, uint32_t slot_count)
{
    void *map = mmap(NULL, (size_t)slot_size * slot_count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (map == MAP_FAILED)
        return -errno;
    *ring = (struct lc_frame_ring){
        .descriptor = descriptor, .slot_size = slot_size, .slot_count = slot_count, .slots = map,
    };
    return 0;
}

void lc_unmap_frame_ring(struct lc_frame_ring *ring)
{
    munmap(ring->slots, (size_t)ring->slot_size * ring->slot_count);
}

long lc_read_frame(struct lc_frame_ring *ring, void *buffer, unsigned long count)
{
    for (;;) {
        struct tpacket2_hdr *slot = (void *)(ring->slots + (size_t)ring->next * ring->slot_size);
        uint32_t status = __atomic_load_n(&slot->tp_status, __ATOMIC_ACQUIRE);
        if (!(status & TP_STATUS_USER))
            return -EAGAIN;
        /* tpacket_rcv of net/packet/af_packet.c puts the virtio-net header right before the frame. */
        unsigned long length = slot->tp_snaplen + sizeof(struct virtio_net_hdr);
        int is_whole = slot->tp_snaplen == slot->tp_len && length <= count;
        if (is_whole)
            memcpy(buffer, (uint8_t *)slot + slot->tp_mac - sizeof(struct virtio_net_hdr), length);
        if (status & TP_STATUS_LOSING)
            ring->is_losing = 1;
        __atomic_store_n(&slot->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
        ring->next = (ring->next + 1) % ring->slot_count;
        ring->unchecked++;
        if (is_whole)
            return (long)length;
        ring->truncated++;
    }
}

uint64_t lc_take_missed_frames(struct lc_frame_ring *ring)
{
    uint64_t missed = ring->truncated;
    ring->truncated = 0;
    /* The kernel drops frames only if a whole ring of slots has not been read, so the counters need not be read
     * before. */
    if (ring->is_losing || ring->unchecked >= ring->slot_count) {
        struct tpacket_stats statistics;
        socklen_t size = sizeof statistics;
        ring->is_losing = 0;
        ring->unchecked = 0;
        /* Resets the kernel's counters. */
        if (getsockopt(ring->descriptor, SOL_PACKET, PACKET_STATISTICS, &statistics, &size) == 0)
            missed += statistics.tp_drops;
    }
    return missed;
}

int lc_frame_ring_went_down(const struct lc_frame_ring *ring)
{
    int error = 0;
    socklen_t size = sizeof error;
    /* Clears the error, which would keep the socket readable. */
    return getsockopt(ring->descriptor, SOL_SOCKET, SO_ERROR, &error, &size) < 0 || error != 0;
}

int lc_frame_ring_is_over(const struct lc_frame_ring *ring)
{
    struct sockaddr_ll address = {.sll_ifindex = 0};
    socklen_t length = sizeof address;
    /* packet_notifier of net/packet/af_packet.c sets the index to -1 when the interface is deleted. */
    return getsockname(ring->descriptor, (struct sockaddr *)&address, &length) < 0 || address.sll_ifindex < 0;
}

int lc_open_frame_output(int interface)
{
    int descriptor = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), one = 1, room = 1 << 17;
    struct timeval patience = {.tv_sec = 1};
    if (descriptor < 0)
        return -errno;
    /* A frame counts against this buffer until the receiver removes it from its backlog, which drops frames beyond
     * net.core.netdev_max_backlog, a thousand: at most a few hundred may be in it. */
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    /* Bypasses the qdisc, which the kernel attaches only some time after the device is up. */
    if (setsockopt(descriptor, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one) < 0 ||
        setsockopt(descriptor, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof one) < 0 ||
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) < 0 ||
        bind_to(descriptor, interface, 0) < 0) {
        int result = -errno;
        close(descriptor);
        return result;
    }
    return descriptor;
}
