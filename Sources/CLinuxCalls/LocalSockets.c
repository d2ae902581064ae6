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
    return lc_send_message(socket, &byte, 1, descriptor);
}

int lc_receive_descriptor(int socket)
{
    char byte;
    int descriptor;
    long count = lc_receive_message(socket, &byte, 1, &descriptor);
    return count < 0 ? (int)count : descriptor < 0 ? -ENODATA : descriptor;
}

int lc_duplicate(int descriptor)
{
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    return copy < 0 ? -errno : copy;
}
