// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int open_at(const char *name, int is_listener)
{
    /* The first byte of an abstract name is 0. */
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    if (length + 1 > sizeof(address.sun_path))
        return -ENAMETOOLONG;
    memcpy(address.sun_path + 1, name, length);
    length += offsetof(struct sockaddr_un, sun_path) + 1;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0)
        return -errno;
    int (*use)(int, const struct sockaddr *, socklen_t) = is_listener ? bind : connect;
    /* Without a wait for a listener that does not accept: EAGAIN. */
    if (use(descriptor, (const struct sockaddr *)&address, length) < 0 ||
        (is_listener && listen(descriptor, 16) < 0) || fcntl(descriptor, F_SETFL, 0) < 0) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

int lc_listen_abstract(const char *name) { return open_at(name, 1); }

int lc_connect_abstract(const char *name) { return open_at(name, 0); }

int lc_accept(int socket)
{
    int descriptor = accept4(socket, NULL, NULL, SOCK_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}

struct lc_credentials lc_peer(int socket)
{
    struct lc_credentials peer = {-1, -1, -1};
    socklen_t length = sizeof(peer);
    getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length);
    return peer;
}

int lc_send_descriptor(int socket, int descriptor)
{
    char byte = 0;
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(rights), &descriptor, sizeof(int));
    return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int lc_receive_descriptor(int socket)
{
    char byte;
    struct iovec data = {.iov_base = &byte, .iov_len = 1};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
    ssize_t count;
    do
        count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return -errno;
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    if (count == 0 || !rights || rights->cmsg_type != SCM_RIGHTS)
        return -ENODATA;
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(rights), sizeof(int));
    return descriptor;
}

int lc_duplicate(int descriptor)
{
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    return copy < 0 ? -errno : copy;
}
