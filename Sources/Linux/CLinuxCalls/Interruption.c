/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <signal.h>
#include <stddef.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { count = sizeof(ending) / sizeof(ending[0]) };

static volatile sig_atomic_t interruption;

static void note(int number)
{
    interruption = number;
    for (int i = 0; i < count; i++) {
        struct sigaction action;
        if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler == note)
            signal(ending[i], SIG_DFL);
    }
}

void lc_note_interruption(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    for (int i = 0; i < count; i++) {
        struct sigaction action;
        sigaddset(&signals, ending[i]);
        if (sigaction(ending[i], NULL, &action) < 0 || action.sa_handler == SIG_IGN)
            continue;
        action = (struct sigaction){.sa_handler = note, .sa_flags = SA_RESTART};
        sigaction(ending[i], &action, NULL);
    }
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

int lc_interruption(void) { return interruption; }
