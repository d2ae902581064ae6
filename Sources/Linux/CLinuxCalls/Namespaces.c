/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

static int enter_namespace(const char *path, int kind)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return -errno;
    int result = setns(descriptor, kind) < 0 ? -errno : 0;
    close(descriptor);
    return result;
}

int lc_enter_network_namespace(const char *path)
{
    return enter_namespace(path, CLONE_NEWNET);
}

int lc_enter_mount_namespace(const char *path)
{
    return enter_namespace(path, CLONE_NEWNS);
}

int lc_unshare(int kinds)
{
    int flags = (kinds & lc_network_namespace ? CLONE_NEWNET : 0) | (kinds & lc_mount_namespace ? CLONE_NEWNS : 0) |
                (kinds & lc_user_namespace ? CLONE_NEWUSER : 0);
    return unshare(flags) < 0 ? -errno : 0;
}
