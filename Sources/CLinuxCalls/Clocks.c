/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <errno.h>
#include <stddef.h>
#include <sys/timerfd.h>
#include <time.h>

static long long nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

long long lc_monotonic_time(void) { return nanoseconds(CLOCK_MONOTONIC); }

long long lc_wall_time(void) { return nanoseconds(CLOCK_REALTIME); }

int lc_open_timer(void)
{
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    return timer < 0 ? -errno : timer;
}

int lc_open_boot_timer(void)
{
    int timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    return timer < 0 ? -errno : timer;
}

int lc_set_timer(int timer, long long nanoseconds)
{
    struct itimerspec when = {
        .it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL) < 0 ? -errno : 0;
}
