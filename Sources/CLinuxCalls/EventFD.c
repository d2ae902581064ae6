/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <errno.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

void lc_clear_eventfd(int descriptor)
{
    uint64_t count;
    (void)!read(descriptor, &count, sizeof(count));
}

static int arm(int descriptor)
{
    /* A year ahead: only the cancellation matters. */
    struct itimerspec when = {0};
    clock_gettime(CLOCK_REALTIME, &when.it_value);
    when.it_value.tv_sec += 365 * 86400;
    return timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &when, NULL);
}

int lc_open_clock_watch(void)
{
    int descriptor = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (descriptor < 0)
        return -errno;
    if (arm(descriptor) < 0) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

void lc_clear_clock_watch(int descriptor)
{
    uint64_t count;
    (void)!read(descriptor, &count, sizeof(count));
    arm(descriptor);
}
