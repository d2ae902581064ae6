/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "PacketRing.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4
/* Since Linux 6.2. Earlier kernels drop such packets, and count them as dropped, since they have no number for them. */
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

/* Accepts no packet. Attached until the requested filter is, so that the ring gets no packets from before. */
static const struct sock_filter none = BPF_STMT(BPF_RET | BPF_K, 0);

static int attach(int descriptor, const struct sock_filter *filter, uint16_t count)
{
    struct sock_fprog program = { .len = count, .filter = (struct sock_filter *)filter };
    return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

static int prepare(struct lc_packet_ring *ring, int interface, const struct sock_filter *filter, uint16_t count,
                   uint32_t pause)
{
    int version = TPACKET_V3, one = 1;
    struct tpacket_req3 request = {
        .tp_block_size = ring->block_size,
        .tp_block_nr = ring->block_count,
        /* Only a lower bound for the largest packet in version 3. */
        .tp_frame_size = TPACKET_ALIGNMENT << 7,
        .tp_frame_nr = ring->block_size / (TPACKET_ALIGNMENT << 7) * ring->block_count,
        .tp_retire_blk_tov = pause,
    };
    if (setsockopt(ring->descriptor, SOL_PACKET, PACKET_VERSION, &version, sizeof version) < 0) return -1;
    /* Set before the ring, which then leaves room for the virtio-net header. */
    if (setsockopt(ring->descriptor, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one) < 0) return -1;
    if (setsockopt(ring->descriptor, SOL_PACKET, PACKET_RX_RING, &request, sizeof request) < 0) return -1;
    void *map = mmap(NULL, (size_t)ring->block_size * ring->block_count, PROT_READ | PROT_WRITE, MAP_SHARED,
                     ring->descriptor, 0);
    if (map == MAP_FAILED) return -1;
    ring->blocks = map;
    if (attach(ring->descriptor, &none, 1) < 0) return -1;
    struct sockaddr_ll address = {
        .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = interface,
    };
    if (bind(ring->descriptor, (struct sockaddr *)&address, sizeof address) < 0) return -1;
    return attach(ring->descriptor, filter, count);
}

int lc_open_packet_ring(struct lc_packet_ring *ring, int interface, const struct sock_filter *filter, uint16_t count,
                        uint32_t block_size, uint32_t block_count, uint32_t pause)
{
    memset(ring, 0, sizeof *ring);
    ring->block_size = block_size;
    ring->block_count = block_count;
    /* Protocol 0: no packets before bind(2). */
    ring->descriptor = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (ring->descriptor < 0) return -1;
    if (prepare(ring, interface, filter, count, pause) == 0) return 0;
    int number = errno;
    lc_close_packet_ring(ring);
    errno = number;
    return -1;
}

void lc_close_packet_ring(struct lc_packet_ring *ring)
{
    if (ring->blocks) munmap(ring->blocks, (size_t)ring->block_size * ring->block_count);
    if (ring->descriptor >= 0) close(ring->descriptor);
    ring->blocks = NULL;
    ring->descriptor = -1;
}

static struct tpacket_block_desc *block(const struct lc_packet_ring *ring)
{
    return (struct tpacket_block_desc *)(ring->blocks + (size_t)ring->block * ring->block_size);
}

int lc_ring_block(const struct lc_packet_ring *ring)
{
    struct tpacket_hdr_v1 *header = &block(ring)->hdr.bh1;
    if (!(__atomic_load_n(&header->block_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER)) return -1;
    return (int)header->num_pkts;
}

const void *lc_ring_first(const struct lc_packet_ring *ring)
{
    return (const uint8_t *)block(ring) + block(ring)->hdr.bh1.offset_to_first_pkt;
}

const void *lc_ring_packet(const void *place, struct lc_ring_packet *packet)
{
    const struct tpacket3_hdr *header = place;
    const struct sockaddr_ll *address =
        (const void *)((const uint8_t *)place + TPACKET_ALIGN(sizeof(struct tpacket3_hdr)));
    /* tpacket_rcv of net/packet/af_packet.c puts the virtio-net header right before the packet. */
    const struct virtio_net_hdr *offload =
        (const void *)((const uint8_t *)place + header->tp_mac - sizeof(struct virtio_net_hdr));
    int type = offload->gso_type & ~VIRTIO_NET_HDR_GSO_ECN;
    /* VIRTIO_NET_HDR_GSO_UDP is no super-packet, but a datagram to be sent as IP fragments. */
    int is_super =
        type == VIRTIO_NET_HDR_GSO_TCPV4 || type == VIRTIO_NET_HDR_GSO_TCPV6 || type == VIRTIO_NET_HDR_GSO_UDP_L4;
    *packet = (struct lc_ring_packet){
        .bytes = (const uint8_t *)place + header->tp_mac,
        .kept = header->tp_snaplen,
        .length = header->tp_len,
        .time = (int64_t)header->tp_sec * 1000000000 + header->tp_nsec,
        .interface = address->sll_ifindex,
        .kind = address->sll_pkttype,
        .hardware = address->sll_hatype,
        .segment_size = is_super ? offload->gso_size : 0,
    };
    if (header->tp_status & TP_STATUS_VLAN_VALID) {
        packet->vlan = (uint16_t)header->hv1.tp_vlan_tci;
        packet->vlan_type =
            header->tp_status & TP_STATUS_VLAN_TPID_VALID ? header->hv1.tp_vlan_tpid : ETH_P_8021Q;
    }
    return (const uint8_t *)place + header->tp_next_offset;
}

void lc_ring_release(struct lc_packet_ring *ring)
{
    __atomic_store_n(&block(ring)->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
    ring->block = (ring->block + 1) % ring->block_count;
}

int lc_ring_statistics(const struct lc_packet_ring *ring, uint64_t *received, uint64_t *dropped)
{
    struct tpacket_stats_v3 statistics;
    socklen_t size = sizeof statistics;
    if (getsockopt(ring->descriptor, SOL_PACKET, PACKET_STATISTICS, &statistics, &size) < 0) return -1;
    /* tp_packets includes the dropped packets. */
    *received = statistics.tp_packets;
    *dropped = statistics.tp_drops;
    return 0;
}
