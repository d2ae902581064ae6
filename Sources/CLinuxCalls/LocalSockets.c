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

/* The address of `name`, whose first byte is 0; its length, or -ENAMETOOLONG. */
static int to_address(const char *name, struct sockaddr_un *address)
{
    size_t length = strlen(name);
    if (length + 1 > sizeof(address->sun_path))
        return -ENAMETOOLONG;
    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path + 1, name, length);
    return offsetof(struct sockaddr_un, sun_path) + 1 + length;
}

static int open_at(const char *name, int (*use)(int, const struct sockaddr_un *, socklen_t))
{
    struct sockaddr_un address;
    int length = to_address(name, &address);
    if (length < 0)
        return length;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0)
        return -errno;
    /* Without a wait for a listener that does not accept: EAGAIN. */
    if (use(descriptor, &address, length) < 0 || fcntl(descriptor, F_SETFL, 0) < 0) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

static int listen_at(int descriptor, const struct sockaddr_un *address, socklen_t length)
{
    return bind(descriptor, (const struct sockaddr *)address, length) < 0 ? -1 : listen(descriptor, 16);
}

static int connect_to(int descriptor, const struct sockaddr_un *address, socklen_t length)
{
    return connect(descriptor, (const struct sockaddr *)address, length);
}

int lc_listen_abstract(const char *name)
{
    return open_at(name, listen_at);
}

int lc_connect_abstract(const char *name)
{
    return open_at(name, connect_to);
}

int lc_accept(int socket)
{
    int descriptor = accept4(socket, NULL, NULL, SOCK_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}

int lc_peer_user(int socket, unsigned int *user)
{
    struct ucred peer;
    socklen_t length = sizeof(peer);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0)
        return -errno;
    *user = peer.uid;
    return 0;
}

int lc_peer_process(int socket)
{
    struct ucred peer;
    socklen_t length = sizeof(peer);
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0 ? -errno : peer.pid;
}
