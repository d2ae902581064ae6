/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>

int lc_open_poller(void)
{
    int result = epoll_create1(EPOLL_CLOEXEC);
    return result < 0 ? -errno : result;
}

int lc_watch(int poller, int descriptor, int what, unsigned long long key)
{
    struct epoll_event event = {
        .events = (what & lc_readable ? EPOLLIN | EPOLLRDHUP : 0) | (what & lc_writable ? EPOLLOUT : 0), .data.u64 = key};
    int result = epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
    if (result < 0 && errno == EEXIST)
        result = epoll_ctl(poller, EPOLL_CTL_MOD, descriptor, &event);
    return result < 0 ? -errno : 0;
}

int lc_wait(int poller, struct lc_readiness *ready, int count, int milliseconds)
{
    struct epoll_event events[256];
    int result = epoll_wait(poller, events, count < 256 ? count : 256, milliseconds);
    if (result < 0)
        return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < result; i++) {
        unsigned int what = events[i].events;
        ready[i].key = events[i].data.u64;
        ready[i].what = (what & (EPOLLIN | EPOLLRDHUP) ? lc_readable : 0) | (what & EPOLLOUT ? lc_writable : 0) |
                        (what & (EPOLLERR | EPOLLHUP) ? lc_failed : 0);
    }
    return result;
}

void lc_unwatch(int poller, int descriptor) { epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, NULL); }

int lc_wait_keys(int poller, unsigned long long *keys, int milliseconds)
{
    struct epoll_event events[16];
    int count = epoll_wait(poller, events, 16, milliseconds);
    *keys = 0;
    if (count < 0)
        return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < count; i++)
        *keys |= 1ull << (events[i].data.u64 & 63);
    return count;
}
