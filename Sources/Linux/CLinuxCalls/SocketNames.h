/* SPDX-License-Identifier: Apache-2.0
 * Conversions between lc_address and the socket calls' addresses, for this module's own files. */
#ifndef LINKCOND_SOCKETNAMES_H
#define LINKCOND_SOCKETNAMES_H

#include "CLinuxCalls.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

union name {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static inline socklen_t to_name(const struct lc_address *address, union name *name)
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

static inline void from_name(const union name *name, struct lc_address *address)
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

#endif
