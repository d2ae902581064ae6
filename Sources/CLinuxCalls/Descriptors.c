/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <string.h>
#include <sys/socket.h>

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

int lc_open_memory(const char *name)
{
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return descriptor < 0 ? -errno : descriptor;
}
