/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CLinuxCalls.h"
#include "SocketNames.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/udp.h>
#include <time.h>

enum { LC_BATCH = 32 };

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
        } else if (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_TCLASS) {
            memcpy(&datagram->traffic_class, CMSG_DATA(c), sizeof(int));
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

static struct cmsghdr *put(struct msghdr *header, int level, int type, int value)
{
    struct cmsghdr *option = (struct cmsghdr *)((char *)header->msg_control + header->msg_controllen);
    *option = (struct cmsghdr){CMSG_LEN(sizeof(value)), level, type};
    memcpy(CMSG_DATA(option), &value, sizeof(value));
    header->msg_controllen += CMSG_SPACE(sizeof(value));
    return option;
}

int lc_send_whole(int socket, const struct lc_datagram *datagram, const unsigned char *bytes, unsigned short segment)
{
    union name name;
    union control control;
    struct iovec data = {(void *)bytes, datagram->length};
    int is_ipv6 = datagram->address.length == 16;
    struct msghdr header = {
        .msg_name = &name, .msg_namelen = to_name(&datagram->address, &name), .msg_iov = &data, .msg_iovlen = 1,
        .msg_control = &control};
    memset(&control, 0, sizeof(control));
    if (datagram->hop_limit > 0)
        put(&header, is_ipv6 ? SOL_IPV6 : SOL_IP, is_ipv6 ? IPV6_HOPLIMIT : IP_TTL, datagram->hop_limit);
    if (datagram->traffic_class)
        put(&header, is_ipv6 ? SOL_IPV6 : SOL_IP, is_ipv6 ? IPV6_TCLASS : IP_TOS, datagram->traffic_class);
    if (segment) {
        /* Stored as 16 bits, so that it is right for either byte order. */
        struct cmsghdr *option = put(&header, IPPROTO_UDP, UDP_SEGMENT, 0);
        option->cmsg_len = CMSG_LEN(sizeof(segment));
        memcpy(CMSG_DATA(option), &segment, sizeof(segment));
    }
    if (header.msg_controllen == 0)
        header.msg_control = NULL;
    return sendmsg(socket, &header, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
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
    error->mtu = 0;
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
        error->mtu = found->ee_errno == EMSGSIZE ? found->ee_info : 0;
        size_t room = c->cmsg_len - ((unsigned char *)SO_EE_OFFENDER(found) - (unsigned char *)c);
        memset(&offender, 0, sizeof(offender));
        memcpy(&offender, SO_EE_OFFENDER(found), room < sizeof(offender) ? room : sizeof(offender));
        from_name(&offender, &error->offender);
    }
    return 0;
}
