/* SPDX-License-Identifier: Apache-2.0
 * A device that shows packets of another network: packet(7) and linux/if_tun.h. Each call returns 0, a number or a
 * negative errno. */
#ifndef LINKCOND_MIRROR_H
#define LINKCOND_MIRROR_H

#include <stdint.h>

/* The mark of each packet that a mirror sends: SO_MARK of socket(7). */
enum { lc_mirror_mark = 0x6c636d72 };

/* The kernel's metadata of a packet that a packet socket received. */
struct lc_received_packet {
    int32_t interface;
    /* ARPHRD of the interface, <net/if_arp.h>, and the protocol of <net/ethernet.h>. */
    uint16_t hardware, protocol;
    /* An 802.1Q tag that is not in the bytes; 0 for none. */
    uint16_t vlan_type, vlan;
};

/* Makes the TAP device `name` on a descriptor of /dev/net/tun. It drops each packet that is sent into it, and is
 * deleted with the descriptor. `offloads` are flags of TUNSETOFFLOAD, for work that the kernel need not do before it
 * shows a packet. -EBUSY if there is a device of that name. */
int lc_make_mirror_device(int tun, const char *name, unsigned int offloads);

/* Opens a packet socket for the packets that the interface receives and sends. For 0, it is for all interfaces of the
 * calling thread's network, without packets that mirrors send there. Loopback's packets are received once, as they
 * arrive. Each packet comes with a virtio-net header of 10 bytes. `buffer` is the size of the receive buffer in
 * bytes. */
int lc_open_mirror_source(int interface, int buffer);

/* Opens a packet socket that sends on the interface packets that start with a virtio-net header, and marks them. A send
 * waits 100 ms at most for buffer space. */
int lc_open_mirror_output(int interface);

/* The index of the interface to which a packet socket is bound; -1 if the interface is gone. */
int lc_bound_interface(int socket);

/* Receives one packet, without waiting; returns the number of its bytes, including the virtio-net header. */
long lc_receive_packet(int socket, void *buffer, unsigned long size, struct lc_received_packet *packet);

/* The number of packets for which a packet socket had no buffer space since the last call. */
long lc_missed_packets(int socket);

#endif
