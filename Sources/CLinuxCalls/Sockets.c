/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/errqueue.h>
#include <linux/filter.h>
#include <linux/icmp.h>
#include <linux/udp.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { LC_BATCH = 32 };

union name {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t to_name(const struct lc_address *address, union name *name)
{
    memset(name, 0, sizeof(*name));
    if (address->length == 4) {
        name->v4.sin_family = AF_INET;
        name->v4.sin_port = htons(address->port);
        memcpy(&name->v4.sin_addr, address->bytes, 4);
        return sizeof(name->v4);
    }
    name->v6.sin6_family = AF_INET6;
    name->v6.sin6_port = htons(address->port);
    name->v6.sin6_scope_id = address->scope;
    memcpy(&name->v6.sin6_addr, address->bytes, 16);
    return sizeof(name->v6);
}

static void from_name(const union name *name, struct lc_address *address)
{
    memset(address, 0, sizeof(*address));
    if (name->any.sa_family == AF_INET) {
        address->length = 4;
        address->port = ntohs(name->v4.sin_port);
        memcpy(address->bytes, &name->v4.sin_addr, 4);
    } else if (name->any.sa_family == AF_INET6) {
        address->length = 16;
        address->port = ntohs(name->v6.sin6_port);
        address->scope = name->v6.sin6_scope_id;
        memcpy(address->bytes, &name->v6.sin6_addr, 16);
    }
}

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
    /* Space for thousands of replies at once; above net.core.rmem_max only with CAP_NET_ADMIN. */
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
        /* The length of the IP header: of IPv4 only, and before the reply only in a raw socket. */
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

int lc_watch_refusals(int is_ipv6)
{
    struct sock_filter program[] = {
        /* Only of IPv4 has a raw socket the header. */
        is_ipv6 ? (struct sock_filter)BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, 0)
                : (struct sock_filter)BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
        /* RST and ACK with the sequence number 0, the answer to a SYN: RFC 9293, section 3.10.7.1. */
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
    /* The kernel copies no packet of another source. */
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

int lc_connect_path(int socket, const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(name.sun_path))
        return -ENAMETOOLONG;
    strcpy(name.sun_path, path);
    return connect(socket, (struct sockaddr *)&name, sizeof(name)) < 0 ? -errno : 0;
}

int lc_send_datagrams(int socket, const struct lc_datagram *datagrams, int count)
{
    union name names[LC_BATCH];
    struct iovec data[LC_BATCH];
    struct mmsghdr messages[LC_BATCH];
    if (count > LC_BATCH)
        count = LC_BATCH;
    for (int i = 0; i < count; i++) {
        socklen_t length = to_name(&datagrams[i].address, &names[i]);
        data[i] = (struct iovec){(void *)datagrams[i].bytes, datagrams[i].length};
        messages[i].msg_hdr = (struct msghdr){
            .msg_name = &names[i], .msg_namelen = length, .msg_iov = &data[i], .msg_iovlen = 1};
    }
    int result;
    do
        result = sendmmsg(socket, messages, count, MSG_NOSIGNAL);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}

union control {
    struct cmsghdr header;
    char space[256];
};

static struct msghdr header_for(union name *name, struct iovec *data, union control *control)
{
    return (struct msghdr){
        .msg_name = name,
        .msg_namelen = sizeof(*name),
        .msg_iov = data,
        .msg_iovlen = 1,
        .msg_control = control,
        .msg_controllen = sizeof(*control)};
}

static void read_metadata(struct lc_datagram *datagram, const union name *name, struct msghdr *header)
{
    from_name(name, &datagram->address);
    datagram->time = 0;
    datagram->hop_limit = -1;
    datagram->traffic_class = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec stamp;
            memcpy(&stamp, CMSG_DATA(c), sizeof(stamp));
            datagram->time = stamp.tv_sec * 1000000000ll + stamp.tv_nsec;
        } else if ((c->cmsg_level == SOL_IP && c->cmsg_type == IP_TTL) ||
                   (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_HOPLIMIT)) {
            memcpy(&datagram->hop_limit, CMSG_DATA(c), sizeof(int));
        } else if (c->cmsg_level == SOL_IP && c->cmsg_type == IP_TOS) {
            datagram->traffic_class = *(unsigned char *)CMSG_DATA(c);
        }
    }
}

int lc_receive_datagrams(int socket, struct lc_datagram *datagrams, int count)
{
    union name names[LC_BATCH];
    struct iovec data[LC_BATCH];
    struct mmsghdr messages[LC_BATCH];
    union control control[LC_BATCH];
    if (count > LC_BATCH)
        count = LC_BATCH;
    for (int i = 0; i < count; i++) {
        names[i].any.sa_family = AF_UNSPEC;
        data[i] = (struct iovec){datagrams[i].bytes, sizeof(datagrams[i].bytes)};
        messages[i].msg_hdr = header_for(&names[i], &data[i], &control[i]);
    }
    int result;
    do
        result = recvmmsg(socket, messages, count, MSG_DONTWAIT, NULL);
    while (result < 0 && errno == EINTR);
    if (result < 0)
        return -errno;
    for (int i = 0; i < result; i++) {
        datagrams[i].length = messages[i].msg_len;
        read_metadata(&datagrams[i], &names[i], &messages[i].msg_hdr);
    }
    return result;
}

int lc_receive_whole(int socket, struct lc_datagram *datagram, unsigned char *bytes, unsigned int size)
{
    union name name = {.any.sa_family = AF_UNSPEC};
    union control control;
    struct iovec data = {bytes, size};
    struct msghdr header = header_for(&name, &data, &control);
    ssize_t count;
    do
        count = recvmsg(socket, &header, MSG_DONTWAIT | MSG_TRUNC);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return -errno;
    datagram->length = (unsigned int)count;
    read_metadata(datagram, &name, &header);
    return 0;
}

int lc_send_segments(
    int socket, const struct lc_address *address, const unsigned char *bytes, unsigned int length, unsigned short segment)
{
    union name name;
    union control control;
    struct iovec data = {(void *)bytes, length};
    struct msghdr header = {.msg_iov = &data, .msg_iovlen = 1};
    if (address) {
        header.msg_name = &name;
        header.msg_namelen = to_name(address, &name);
    }
    if (segment) {
        header.msg_control = &control;
        header.msg_controllen = CMSG_SPACE(sizeof(segment));
        memset(&control, 0, sizeof(control));
        struct cmsghdr *option = CMSG_FIRSTHDR(&header);
        *option = (struct cmsghdr){CMSG_LEN(sizeof(segment)), IPPROTO_UDP, UDP_SEGMENT};
        memcpy(CMSG_DATA(option), &segment, sizeof(segment));
    }
    return sendmsg(socket, &header, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int lc_wait_for(int first, int second, long long nanoseconds)
{
    struct pollfd requests[2] = {{.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}};
    struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    return ppoll(requests, 2, nanoseconds > 0 ? &limit : &(struct timespec){0, 0}, NULL) > 0;
}

int lc_take_error(int socket, struct lc_socket_error *error)
{
    union name name = {.any.sa_family = AF_UNSPEC};
    union control control;
    struct iovec data = {error->bytes, sizeof(error->bytes)};
    struct msghdr header = header_for(&name, &data, &control);
    ssize_t count;
    do
        count = recvmsg(socket, &header, MSG_ERRQUEUE | MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return -errno;
    error->number = error->is_icmp = error->type = error->code = 0;
    error->length = (unsigned int)count;
    memset(&error->offender, 0, sizeof(error->offender));
    from_name(&name, &error->destination);
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&header); c; c = CMSG_NXTHDR(&header, c)) {
        if (!(c->cmsg_level == SOL_IP && c->cmsg_type == IP_RECVERR) &&
            !(c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_RECVERR))
            continue;
        struct sock_extended_err *found = (struct sock_extended_err *)CMSG_DATA(c);
        union name offender;
        error->number = (int)found->ee_errno;
        error->is_icmp = found->ee_origin == SO_EE_ORIGIN_ICMP || found->ee_origin == SO_EE_ORIGIN_ICMP6;
        error->type = found->ee_type;
        error->code = found->ee_code;
        size_t room = c->cmsg_len - ((unsigned char *)SO_EE_OFFENDER(found) - (unsigned char *)c);
        memset(&offender, 0, sizeof(offender));
        memcpy(&offender, SO_EE_OFFENDER(found), room < sizeof(offender) ? room : sizeof(offender));
        from_name(&offender, &error->offender);
    }
    return 0;
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
    name.v4.sin_port = 0; /* the same place in both */
    int descriptor = socket(name.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return -errno;
    int result = bind(descriptor, &name.any, length) == 0;
    close(descriptor);
    return result;
}
