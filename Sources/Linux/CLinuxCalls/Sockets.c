/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CLinuxCalls.h"
#include "SocketNames.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/icmp.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int set(int socket, int level, int option, int value)
{
    return setsockopt(socket, level, option, &value, sizeof(value));
}

static void queue_errors(int socket, int is_ipv6)
{
    set(socket, is_ipv6 ? SOL_IPV6 : SOL_IP, is_ipv6 ? IPV6_RECVERR : IP_RECVERR, 1);
}

int lc_open_echo_socket(int is_ipv6, int is_raw)
{
    int type = (is_raw ? SOCK_RAW : SOCK_DGRAM) | SOCK_NONBLOCK | SOCK_CLOEXEC;
    int result = socket(is_ipv6 ? AF_INET6 : AF_INET, type, is_ipv6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP);
    if (result < 0)
        return -errno;
    queue_errors(result, is_ipv6);
    set(result, is_ipv6 ? SOL_IPV6 : SOL_IP, is_ipv6 ? IPV6_RECVHOPLIMIT : IP_RECVTTL, 1);
    set(result, SOL_SOCKET, SO_TIMESTAMPNS, 1);
    /* Space for thousands of replies at once; exceeding net.core.rmem_max needs CAP_NET_ADMIN. */
    if (set(result, SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20) < 0)
        set(result, SOL_SOCKET, SO_RCVBUF, 8 << 20);
    if (set(result, SOL_SOCKET, SO_SNDBUFFORCE, 4 << 20) < 0)
        set(result, SOL_SOCKET, SO_SNDBUF, 4 << 20);
    if (is_raw && is_ipv6) {
        struct icmp6_filter filter;
        ICMP6_FILTER_SETBLOCKALL(&filter);
        ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &filter);
        setsockopt(result, IPPROTO_ICMPV6, ICMP6_FILTER, &filter, sizeof(filter));
    } else if (is_raw) {
        set(result, SOL_RAW, ICMP_FILTER, (int)~(1u << ICMP_ECHOREPLY));
    }
    return result;
}

int lc_filter_echoes(int socket, int has_ip_header, const unsigned char secret[8])
{
    unsigned int words[2];
    memcpy(words, secret, sizeof(words));
    struct sock_filter program[] = {
        /* X = the length of the IP header: only a raw IPv4 socket receives the header before the reply. */
        has_ip_header ? (struct sock_filter)BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0)
                      : (struct sock_filter)BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_IND, 8),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohl(words[0]), 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_IND, 12),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohl(words[1]), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0xFFFFFFFF),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    struct sock_fprog filter = {.len = sizeof(program) / sizeof(program[0]), .filter = program};
    return setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) < 0 ? -errno : 0;
}

int lc_filter_echo_identifier(int socket, int is_ipv6, unsigned short identifier)
{
    struct sock_filter program[] = {
        /* Only of IPv4 has a raw socket the header. */
        is_ipv6 ? (struct sock_filter)BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, 0)
                : (struct sock_filter)BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
        BPF_STMT(BPF_LD | BPF_H | BPF_IND, 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, identifier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0xFFFFFFFF),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    struct sock_fprog filter = {.len = sizeof(program) / sizeof(program[0]), .filter = program};
    return setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) < 0 ? -errno : 0;
}

void lc_receive_traffic_class(int socket, int is_ipv6)
{
    set(socket, is_ipv6 ? SOL_IPV6 : SOL_IP, is_ipv6 ? IPV6_RECVTCLASS : IP_RECVTOS, 1);
}

void lc_permit_fragments(int socket, int is_ipv6, int may_be_cut)
{
    int value = may_be_cut ? IP_PMTUDISC_DONT : IP_PMTUDISC_DO;
    set(socket, is_ipv6 ? SOL_IPV6 : SOL_IP, is_ipv6 ? IPV6_MTU_DISCOVER : IP_MTU_DISCOVER, value);
}

int lc_watch_refusals(int is_ipv6)
{
    struct sock_filter program[] = {
        /* Only of IPv4 has a raw socket the header. */
        is_ipv6 ? (struct sock_filter)BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, 0)
                : (struct sock_filter)BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
        /* RST and ACK with the sequence number 0, which refuse a SYN: RFC 9293, section 3.10.7.1. */
        BPF_STMT(BPF_LD | BPF_B | BPF_IND, 13),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TH_RST | TH_ACK, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_IND, 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0xFFFFFFFF),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    struct sock_fprog filter = {.len = sizeof(program) / sizeof(program[0]), .filter = program};
    struct lc_address source = {.length = is_ipv6 ? 16 : 4};
    if (!is_ipv6)
        source.bytes[0] = 127;
    source.bytes[source.length - 1] = 1;
    int result = socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (result < 0)
        return -errno;
    int error = setsockopt(result, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) < 0 ? -errno : 0;
    /* A connected raw socket receives packets from this source only. */
    if (error == 0)
        error = lc_connect(result, &source);
    if (error == 0)
        return result;
    close(result);
    return error;
}

int lc_next_refusal(int socket)
{
    unsigned char packet[60 + sizeof(struct tcphdr)]; /* after the longest header of IPv4 */
    int family;
    socklen_t size = sizeof(family);
    if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &size) < 0)
        return -errno;
    ssize_t length = recv(socket, packet, sizeof(packet), 0);
    if (length < 0)
        return -errno;
    size_t begin = family == AF_INET ? 4 * (packet[0] & 15) : 0;
    return packet[begin] << 8 | packet[begin + 1];
}

int lc_open_socket(int kind, int is_ipv6)
{
    static const int types[] = {
        [lc_tcp] = SOCK_STREAM,
        [lc_udp] = SOCK_DGRAM,
        [lc_unix_stream] = SOCK_STREAM,
        [lc_unix_seqpacket] = SOCK_SEQPACKET,
        [lc_unix_datagram] = SOCK_DGRAM,
    };
    int is_unix = kind >= lc_unix_stream;
    int result = socket(is_unix ? AF_UNIX : is_ipv6 ? AF_INET6 : AF_INET, types[kind] | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (result < 0)
        return -errno;
    if (!is_unix)
        queue_errors(result, is_ipv6);
    if (kind == lc_udp)
        set(result, SOL_SOCKET, SO_TIMESTAMPNS, 1);
    return result;
}

int lc_connect(int socket, const struct lc_address *address)
{
    union name name;
    socklen_t length = to_name(address, &name);
    return connect(socket, &name.any, length) < 0 ? -errno : 0;
}

int lc_bind(int socket, const struct lc_address *address)
{
    union name name;
    socklen_t length = to_name(address, &name);
    return bind(socket, &name.any, length) < 0 ? -errno : 0;
}

int lc_local_address(int socket, struct lc_address *address)
{
    union name name;
    socklen_t length = sizeof(name);
    if (getsockname(socket, &name.any, &length) < 0)
        return -errno;
    from_name(&name, address);
    return 0;
}

int lc_remote_address(int socket, struct lc_address *address)
{
    union name name;
    socklen_t length = sizeof(name);
    if (getpeername(socket, &name.any, &length) < 0)
        return -errno;
    from_name(&name, address);
    return 0;
}

int lc_connect_path(int socket, const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(name.sun_path))
        return -ENAMETOOLONG;
    strcpy(name.sun_path, path);
    return connect(socket, (struct sockaddr *)&name, sizeof(name)) < 0 ? -errno : 0;
}

int lc_wait_for(int first, int second, long long nanoseconds)
{
    struct pollfd requests[2] = {{.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}};
    struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    return ppoll(requests, 2, nanoseconds > 0 ? &limit : &(struct timespec){0, 0}, NULL) > 0;
}

int lc_take_pending_error(int socket)
{
    int error = 0;
    socklen_t length = sizeof(error);
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) < 0 ? errno : error;
}

int lc_tcp_round_trip(int socket)
{
    struct tcp_info info = {0};
    socklen_t length = sizeof(info);
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) < 0)
        return -errno;
    return info.tcpi_total_retrans ? -EAGAIN : (int)info.tcpi_rtt;
}

int lc_sending(int socket, struct lc_sending *sending)
{
    /* The C library's tcp_info ends before these members. */
    struct {
        struct tcp_info info;
        unsigned long long pacing_rate, most_pacing_rate, bytes_acked, bytes_received;
        unsigned int segments_out, segments_in, not_sent, least_round_trip, data_segments_in, data_segments_out;
        unsigned long long delivery_rate;
    } facts = {0};
    socklen_t length = sizeof(facts);
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &facts, &length) < 0)
        return -errno;
    sending->waiting = facts.not_sent + (unsigned long long)facts.info.tcpi_unacked * facts.info.tcpi_snd_mss;
    sending->rate = facts.delivery_rate;
    return 0;
}

void lc_make_deaf(int socket)
{
    struct sock_filter program[] = {BPF_STMT(BPF_RET | BPF_K, 0)};
    struct sock_fprog filter = {.len = 1, .filter = program};
    if (setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) == 0)
        return;
    set(socket, IPPROTO_IP, IP_MINTTL, 255);
    set(socket, IPPROTO_IPV6, IPV6_MINHOPCOUNT, 255);
}

void lc_close_abruptly(int socket)
{
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
    close(socket);
}

int lc_is_local(const struct lc_address *address)
{
    union name name;
    socklen_t length = to_name(address, &name);
    name.v4.sin_port = 0; /* at the same offset in both structures */
    int descriptor = socket(name.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return -errno;
    int result = bind(descriptor, &name.any, length) == 0;
    close(descriptor);
    return result;
}
