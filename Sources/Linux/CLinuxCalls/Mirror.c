/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "Mirror.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

int lc_make_mirror_device(int tun, const char *name, unsigned int offloads)
{
    /* Without IFF_TUN_EXCL, TUNSETIFF would attach to an existing persistent device of that name. */
    struct ifreq request = {.ifr_flags = (short)(IFF_TAP | IFF_NO_PI | IFF_TUN_EXCL)};
    struct sock_filter none = BPF_STMT(BPF_RET | BPF_K, 0);
    struct sock_fprog filter = {.len = 1, .filter = &none};
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    if (ioctl(tun, TUNSETIFF, &request) < 0 || ioctl(tun, TUNATTACHFILTER, &filter) < 0 ||
        ioctl(tun, TUNSETOFFLOAD, (unsigned long)offloads) < 0)
        return -errno;
    return 0;
}

static int fail(int descriptor)
{
    int error = errno;
    close(descriptor);
    return -error;
}

static int bind_to(int descriptor, int protocol, int interface)
{
    struct sockaddr_ll address = {
        .sll_family = AF_PACKET, .sll_protocol = htons(protocol), .sll_ifindex = interface};
    return bind(descriptor, (struct sockaddr *)&address, sizeof(address));
}

static int set(int descriptor, int level, int option, int value)
{
    return setsockopt(descriptor, level, option, &value, sizeof(value));
}

#define LOAD(what) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SKF_AD_OFF + (what))
#define SKIP_UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count)

int lc_open_mirror_source(int interface, int buffer)
{
    /* The first three instructions are only for a socket of all interfaces: two networks that mirror each other would
     * otherwise repeat each packet for ever. */
    static struct sock_filter instructions[] = {
        LOAD(SKF_AD_MARK),
        SKIP_UNLESS(lc_mirror_mark, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),
        LOAD(SKF_AD_HATYPE),
        SKIP_UNLESS(ARPHRD_LOOPBACK, 3),
        LOAD(SKF_AD_PKTTYPE),
        SKIP_UNLESS(PACKET_OUTGOING, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, 0xFFFFFFFF),
    };
    int skipped = interface ? 3 : 0;
    struct sock_fprog filter = {
        .len = sizeof(instructions) / sizeof(instructions[0]) - skipped, .filter = instructions + skipped};
    /* Protocol 0: no packets before bind(2). */
    int descriptor = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0)
        return -errno;
    /* SO_RCVBUFFORCE needs CAP_NET_ADMIN; SO_RCVBUF is limited by net.core.rmem_max. */
    if (set(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, buffer) < 0)
        set(descriptor, SOL_SOCKET, SO_RCVBUF, buffer);
    if (set(descriptor, SOL_PACKET, PACKET_VNET_HDR, 1) < 0 || set(descriptor, SOL_PACKET, PACKET_AUXDATA, 1) < 0 ||
        setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) < 0 ||
        bind_to(descriptor, ETH_P_ALL, interface) < 0)
        return fail(descriptor);
    return descriptor;
}

int lc_open_mirror_output(int interface)
{
    int descriptor = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return -errno;
    /* The device drops its packets at once, unless another processor still has them. */
    struct timeval limit = {.tv_usec = 100000};
    if (set(descriptor, SOL_PACKET, PACKET_VNET_HDR, 1) < 0 ||
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0 ||
        set(descriptor, SOL_SOCKET, SO_MARK, lc_mirror_mark) < 0 || bind_to(descriptor, 0, interface) < 0)
        return fail(descriptor);
    return descriptor;
}

int lc_bound_interface(int socket)
{
    struct sockaddr_ll address;
    socklen_t size = sizeof(address);
    return getsockname(socket, (struct sockaddr *)&address, &size) < 0 ? -1 : address.sll_ifindex;
}

long lc_receive_packet(int socket, void *buffer, unsigned long size, struct lc_received_packet *packet)
{
    struct sockaddr_ll address;
    struct iovec room = {.iov_base = buffer, .iov_len = size};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
    struct msghdr message = {.msg_name = &address,
                             .msg_namelen = sizeof(address),
                             .msg_iov = &room,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof(control)};
    ssize_t count;
    do
        count = recvmsg(socket, &message, MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return -errno;
    *packet = (struct lc_received_packet){.interface = address.sll_ifindex,
                                          .hardware = address.sll_hatype,
                                          .protocol = ntohs(address.sll_protocol)};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_level == SOL_PACKET && head->cmsg_type == PACKET_AUXDATA) {
        struct tpacket_auxdata facts;
        memcpy(&facts, CMSG_DATA(head), sizeof(facts));
        if (facts.tp_status & TP_STATUS_VLAN_VALID) {
            packet->vlan = facts.tp_vlan_tci;
            packet->vlan_type = facts.tp_status & TP_STATUS_VLAN_TPID_VALID ? facts.tp_vlan_tpid : ETH_P_8021Q;
        }
    }
    return count;
}

long lc_missed_packets(int socket)
{
    struct tpacket_stats statistics;
    socklen_t size = sizeof(statistics);
    return getsockopt(socket, SOL_PACKET, PACKET_STATISTICS, &statistics, &size) < 0 ? 0 : statistics.tp_drops;
}
