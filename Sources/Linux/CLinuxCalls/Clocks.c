/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static long long nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

long long lc_monotonic_time(void) { return nanoseconds(CLOCK_MONOTONIC); }

long long lc_wall_time(void) { return nanoseconds(CLOCK_REALTIME); }

long long lc_clock_error(void)
{
    struct timex clock = {.modes = 0};
    int state = adjtimex(&clock);
    return state < 0 || state == TIME_ERROR || clock.status & STA_UNSYNC ? -1 : clock.maxerror * 1000ll;
}

static int open_timer(clockid_t clock)
{
    int timer = timerfd_create(clock, TFD_CLOEXEC | TFD_NONBLOCK);
    return timer < 0 ? -errno : timer;
}

int lc_open_timer(void) { return open_timer(CLOCK_MONOTONIC); }

int lc_open_boot_timer(void) { return open_timer(CLOCK_BOOTTIME); }

int lc_set_timer(int timer, long long nanoseconds)
{
    struct itimerspec when = {
        .it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL) < 0 ? -errno : 0;
}

void lc_clear_eventfd(int descriptor)
{
    uint64_t count;
    (void)!read(descriptor, &count, sizeof(count));
}

static int arm(int descriptor)
{
    /* A year ahead: only the cancellation by a clock change matters. */
    struct itimerspec when = {0};
    clock_gettime(CLOCK_REALTIME, &when.it_value);
    when.it_value.tv_sec += 365 * 86400;
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &when, NULL);
}

int lc_open_clock_watch(void)
{
    int descriptor = open_timer(CLOCK_REALTIME);
    if (descriptor >= 0 && arm(descriptor) < 0) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

void lc_clear_clock_watch(int descriptor)
{
    lc_clear_eventfd(descriptor);
    arm(descriptor);
}
