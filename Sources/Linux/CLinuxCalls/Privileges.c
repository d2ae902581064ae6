/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int lc_has_capabilities(unsigned long long wanted)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};
    if (syscall(SYS_capget, &header, data) < 0)
        return 0;
    unsigned long long effective = (unsigned long long)data[1].effective << 32 | data[0].effective;
    return (effective & wanted) == wanted;
}

static int limit(unsigned long long kept, int is_inherited)
{
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};
    if (syscall(SYS_capget, &header, data) < 0)
        return -errno;
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        data[i].permitted &= (unsigned int)(kept >> 32 * i);
        data[i].effective = data[i].permitted;
        data[i].inheritable = is_inherited ? data[i].permitted : 0;
    }
    return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

int lc_limit_capabilities(unsigned long long kept) { return limit(kept, 0); }

int lc_bound_capabilities(unsigned long long kept)
{
    for (int number = 0; number < 64; number++)
        if (!(kept >> number & 1) && prctl(PR_CAPBSET_DROP, number, 0, 0, 0) < 0)
            return errno == EINVAL ? 0 : -errno; /* EINVAL: beyond the kernel's last capability. */
    return 0;
}

int lc_inherit_capabilities(unsigned long long kept)
{
    int result = limit(kept, 1);
    for (int number = 0; result == 0 && number < 64; number++)
        if (kept >> number & 1 && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, number, 0, 0) < 0)
            result = -errno;
    return result;
}

int lc_set_file_user(unsigned int user, unsigned int group)
{
    /* The kernel clears both attributes when these IDs change (commit_creds in kernel/cred.c), as for a set-user-ID
     * program. */
    int death_signal = 0, dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
    pid_t parent = getppid();
    prctl(PR_GET_PDEATHSIG, &death_signal, 0, 0, 0);
    setfsgid(group);
    setfsuid(user);
    if (dumpable == 1)
        prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    if (death_signal) {
        prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0);
        if (getppid() != parent)
            raise(death_signal);
    }
    /* Both calls return the previous ID, even if they fail; no user or group has the ID -1. */
    return setfsgid(-1) == (int)group && setfsuid(-1) == (int)user ? 0 : -EPERM;
}
