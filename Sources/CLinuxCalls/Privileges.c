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

int lc_forbid_new_privileges(void)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}

int lc_drop_capabilities(void)
{
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
    return syscall(SYS_capset, &header, none) < 0 ? -errno : 0;
}

int lc_forbid_tracing(void)
{
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ? -errno : 0;
}

int lc_set_file_user(unsigned int user, unsigned int group)
{
    /* The kernel clears both when these IDs change (commit_creds in kernel/cred.c), as for a set-user-ID program. */
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
    /* Both return the ID from before, even if they fail; no user has -1. */
    return setfsgid(-1) == (int)group && setfsuid(-1) == (int)user ? 0 : -EPERM;
}
