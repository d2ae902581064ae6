/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int lc_fork(int group)
{
    if (group >= 0) {
        /* Starts the child in the group: moving it later would take the kernel milliseconds. */
        struct clone_args arguments = {.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = group};
        long child = syscall(SYS_clone3, &arguments, sizeof(arguments));
        if (child >= 0)
            return (int)child;
    }
    pid_t process = fork();
    return process < 0 ? -errno : process;
}

int lc_start_program(int program, char *const arguments[], int output, int errors)
{
    pid_t parent = getpid();
    pid_t process = fork();
    if (process)
        return process < 0 ? -errno : process;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* The parent may have ended before prctl(2). */
    if (getppid() != parent)
        _exit(127);
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    /* If source and target were equal, dup2(2) would do nothing, and exec would close the descriptor. */
    int sources[] = {null, output, errors};
    for (int target = 0; target < 3; target++)
        if (dup2(sources[target], target) < 0 || fcntl(target, F_SETFD, 0) < 0)
            _exit(127);
    fexecve(program, arguments, environ);
    _exit(127);
}

int lc_prctl(int option, unsigned long value)
{
    return prctl(option, value, 0, 0, 0) < 0 ? -errno : 0;
}

int lc_inherit_orphans(void) { return lc_prctl(PR_SET_CHILD_SUBREAPER, 1); }

int lc_open_process(int process)
{
    long descriptor = syscall(SYS_pidfd_open, process, 0);
    return descriptor < 0 ? -errno : (int)descriptor;
}

void lc_signal_process(int descriptor, int signal)
{
    syscall(SYS_pidfd_send_signal, descriptor, signal, NULL, 0);
}

void lc_unset_variables(const char *prefix)
{
    for (char **variable = environ; *variable;) {
        char *end = strchr(*variable, '=');
        char *name = end && strncmp(*variable, prefix, strlen(prefix)) == 0 ? strndup(*variable, end - *variable) : NULL;
        /* unsetenv(3) moves the next variable to this position. */
        if (!name || unsetenv(name) < 0)
            variable++;
        free(name);
    }
}

void lc_set_title(const char *name, const char *title)
{
    prctl(PR_SET_NAME, name, 0, 0, 0);
    FILE *file = fopen("/proc/self/stat", "re");
    char line[1024];
    if (!file)
        return;
    line[fread(line, 1, sizeof(line) - 1, file)] = 0;
    fclose(file);
    /* Fields 48 and 49 of /proc/PID/stat, proc(5), are the bounds of the arguments; field 2, in parentheses, may contain
     * spaces. */
    char *field = strrchr(line, ')');
    for (int number = 2; field && number < 48; number++)
        field = strchr(field + 1, ' ');
    if (!field)
        return;
    char *start = (char *)strtoul(field, &field, 10);
    char *end = (char *)strtoul(field, NULL, 10);
    if (!start || end <= start)
        return;
    memset(start, 0, end - start);
    strncpy(start, title, end - start - 1);
}
