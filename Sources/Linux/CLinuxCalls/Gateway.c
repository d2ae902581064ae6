/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "SocketNames.h"

long lc_move_bytes(int from, int to, unsigned long bytes)
{
    ssize_t count;
    do
        count = splice(from, NULL, to, NULL, bytes, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

int lc_make_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0 ? -errno : 0; }

int lc_accept_from(int socket, struct lc_address *peer)
{
    union name name;
    socklen_t length = sizeof(name);
    int descriptor = accept4(socket, &name.any, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0)
        return -errno;
    from_name(&name, peer);
    return descriptor;
}

int lc_send_message(int socket, const void *bytes, unsigned long count, int descriptor)
{
    struct iovec data = {.iov_base = (void *)bytes, .iov_len = count};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof(control);
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(rights), &descriptor, sizeof(int));
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

long lc_receive_message(int socket, void *bytes, unsigned long size, int *descriptor)
{
    struct iovec data = {.iov_base = bytes, .iov_len = size};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
    *descriptor = -1;
    ssize_t count;
    do
        count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return -errno;
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    if (count > 0 && rights && rights->cmsg_type == SCM_RIGHTS)
        memcpy(descriptor, CMSG_DATA(rights), sizeof(int));
    return count;
}
