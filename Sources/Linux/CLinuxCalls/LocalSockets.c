// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Opens a socket, and binds it to an address and listens, or connects it. Does not wait for a listener that does not
 * accept: -EAGAIN. */
static int open_at(const struct sockaddr_un *address, size_t length, int is_listener)
{
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0)
        return -errno;
    int (*use)(int, const struct sockaddr *, socklen_t) = is_listener ? bind : connect;
    /* A socket's file gets the mode of the socket, less the umask. */
    if ((is_listener && fchmod(descriptor, 0600) < 0) || use(descriptor, (const struct sockaddr *)address, length) < 0 ||
        (is_listener && listen(descriptor, 16) < 0) || fcntl(descriptor, F_SETFL, 0) < 0) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

/* Names the directory by a descriptor, because its path may be too long for a socket address. */
static int open_in(const char *directory, const char *name, int is_listener)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int folder = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -errno;
    int length = snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s", folder, name);
    int descriptor = length < (int)sizeof(address.sun_path) ? open_at(&address, sizeof(address), is_listener)
                                                            : -ENAMETOOLONG;
    close(folder);
    return descriptor;
}

int lc_listen_in(const char *directory, const char *name) { return open_in(directory, name, 1); }

int lc_connect_in(const char *directory, const char *name) { return open_in(directory, name, 0); }

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
