/* SPDX-License-Identifier: Apache-2.0
 * Sockets for probes. Swift does not import control messages (macros), casts between socket addresses, mmsghdr,
 * sock_extended_err, or the filters of raw sockets. Each call returns 0, a number or a negative errno. */
#ifndef LINKCOND_SOCKETS_H
#define LINKCOND_SOCKETS_H

/* An IP address with a port. */
struct lc_address {
    unsigned char bytes[16];
    unsigned int scope;   /* interface of a link-local address, or 0 */
    unsigned short port;  /* host order */
    unsigned char length; /* 4 or 16; 0 for none */
};

/* A datagram with the kernel's metadata. */
struct lc_datagram {
    struct lc_address address; /* the destination of a sent one, the source of a received one */
    long long time;            /* time of arrival in nanoseconds of CLOCK_REALTIME; 0 if unknown */
    int hop_limit;             /* remaining hops at arrival; -1 if unknown */
    int traffic_class;         /* if requested (IP_RECVTOS of ip(7), IPV6_RECVTCLASS), else 0 */
    unsigned int length;
    unsigned char bytes[128]; /* the first bytes; the rest is lost */
};

/* An entry of a socket's error queue: ip(7), IP_RECVERR. */
struct lc_socket_error {
    int number; /* the errno */
    int is_icmp;
    unsigned char type, code;
    unsigned int mtu; /* the MTU for a packet that was too big; else 0 */
    struct lc_address offender;    /* sender of the error */
    struct lc_address destination; /* destination of the packet */
    unsigned int length;
    unsigned char bytes[128]; /* the quoted part of the packet, after its IP header */
};

enum { lc_tcp = 1, lc_udp = 2, lc_unix_stream = 3, lc_unix_seqpacket = 4, lc_unix_datagram = 5 };

/* Opens a socket for ICMP echo, as in ping(8): icmp(7), or raw(7) if `is_raw`. */
int lc_open_echo_socket(int is_ipv6, int is_raw);

/* Makes the kernel drop echo replies whose payload does not start with `secret`: a raw socket also gets other
   processes' replies, and floods. `has_ip_header`: whether the socket delivers the IPv4 header too. */
int lc_filter_echoes(int socket, int has_ip_header, const unsigned char secret[8]);

/* Opens a raw socket that receives the RST with which a port of 127.0.0.1 or ::1 refuses a connection, in the calling
   thread's network: raw(7). */
int lc_watch_refusals(int is_ipv6);

/* Receives the next such RST; returns its source port, or -EAGAIN if there is none. */
int lc_next_refusal(int socket);

/* Opens a non-blocking socket of the given kind, which queues ICMP errors. */
int lc_open_socket(int kind, int is_ipv6);

/* connect(2), to an address or to the path of a unix socket (-ENAMETOOLONG if it is too long). */
int lc_connect(int socket, const struct lc_address *address);
int lc_connect_path(int socket, const char *path);

/* bind(2) to an address of this host. */
int lc_bind(int socket, const struct lc_address *address);

/* getsockname(2): the local address and port of a socket. */
int lc_local_address(int socket, struct lc_address *address);

/* getpeername(2): the address and port to which a socket is connected. */
int lc_remote_address(int socket, struct lc_address *address);

/* sendmmsg(2): the number of datagrams sent. */
int lc_send_datagrams(int socket, const struct lc_datagram *datagrams, int count);

/* recvmmsg(2): the number of datagrams received; -EAGAIN for none. */
int lc_receive_datagrams(int socket, struct lc_datagram *datagrams, int count);

/* recvmsg(2): one datagram. Stores up to `size` of its bytes in `bytes`, and its metadata and full length in
   `datagram`; -EAGAIN for none. */
int lc_receive_whole(int socket, struct lc_datagram *datagram, unsigned char *bytes, unsigned int size);

/* sendmsg(2). If `address` is NULL, sends to the address to which the socket is connected. If `segment` is above 0, the
   bytes are a super-packet, which the kernel or the device splits into datagrams of `segment` bytes (UDP_SEGMENT of
   udp(7), since Linux 4.18). */
int lc_send_segments(
    int socket, const struct lc_address *address, const unsigned char *bytes, unsigned int length, unsigned short segment);

/* Like lc_send_segments, but to the address of `datagram`, with its hop limit and traffic class. */
int lc_send_whole(int socket, const struct lc_datagram *datagram, const unsigned char *bytes, unsigned short segment);

/* Makes a datagram socket deliver the traffic class of each datagram to lc_receive_whole. */
void lc_receive_traffic_class(int socket, int is_ipv6);

/* Sets whether the packets of a datagram socket may be fragmented on their path; otherwise a packet that is too big is
   refused or answered with an ICMP error, and the error queue has the MTU: IP_MTU_DISCOVER of ip(7). */
void lc_permit_fragments(int socket, int is_ipv6, int may_be_cut);

/* Makes a raw echo socket receive only packets with this identifier. */
int lc_filter_echo_identifier(int socket, int is_ipv6, unsigned short identifier);

/* The sending state of a TCP socket: tcp(7), TCP_INFO. The number of bytes that are not yet acknowledged or not yet
   sent, and the delivery rate in bytes a second; 0 if unknown. */
struct lc_sending {
    unsigned long long waiting;
    unsigned long long rate;
};
int lc_sending(int socket, struct lc_sending *sending);

/* ppoll(2): waits until one of two descriptors is readable, for at most `nanoseconds`. A negative descriptor is
   ignored. */
int lc_wait_for(int first, int second, long long nanoseconds);

/* Reads the next entry of the error queue; -EAGAIN if it is empty. */
int lc_take_error(int socket, struct lc_socket_error *error);

/* Reads and clears SO_ERROR: a positive errno. */
int lc_take_pending_error(int socket);

/* The round-trip time of the TCP handshake (tcp_info) in microseconds; -EAGAIN if a segment was retransmitted. */
int lc_tcp_round_trip(int socket);

/* Closes a TCP socket with RST, which leaves no TIME_WAIT: SO_LINGER of socket(7). */
void lc_close_abruptly(int socket);

/* Makes the kernel drop each segment for a TCP socket, as if this host were gone: SO_ATTACH_FILTER of socket(7). If
   that needs privileges, segments with fewer than 255 remaining hops are dropped: IP_MINTTL, IPV6_MINHOPCOUNT (RFC
   5082). */
void lc_make_deaf(int socket);

/* Whether the address belongs to this host, in the calling thread's network namespace: 1 or 0. */
int lc_is_local(const struct lc_address *address);

/* Readiness of descriptors: epoll(7). */
enum { lc_readable = 1, lc_writable = 2, lc_failed = 4 };
struct lc_readiness {
    unsigned long long key;
    unsigned int what;
};
int lc_open_poller(void);
int lc_watch(int poller, int descriptor, int what, unsigned long long key);
int lc_wait(int poller, struct lc_readiness *ready, int count, int milliseconds);

/* Nanoseconds of CLOCK_MONOTONIC and CLOCK_REALTIME. */
long long lc_monotonic_time(void);
long long lc_wall_time(void);

/* The maximum error of CLOCK_REALTIME in nanoseconds: adjtimex(2). -1 if it is not synchronized. */
long long lc_clock_error(void);

#endif
