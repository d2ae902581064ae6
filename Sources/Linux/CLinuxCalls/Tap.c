/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int lc_open_tun(void)
{
    int descriptor = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    return descriptor < 0 ? -errno : descriptor;
}

int lc_make_tap(int descriptor, char *name, int is_tun)
{
    struct ifreq request = {.ifr_flags = (short)((is_tun ? IFF_TUN : IFF_TAP) | IFF_NO_PI | IFF_VNET_HDR)};
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    if (ioctl(descriptor, TUNSETIFF, &request) < 0)
        return -errno;
    memcpy(name, request.ifr_name, IFNAMSIZ);
    return 0;
}

int lc_set_tap_header_size(int descriptor, int size)
{
    return ioctl(descriptor, TUNSETVNETHDRSZ, &size) < 0 ? -errno : 0;
}

int lc_set_tap_offloads(int descriptor, unsigned int offloads)
{
    return ioctl(descriptor, TUNSETOFFLOAD, (unsigned long)offloads) < 0 ? -errno : 0;
}

int lc_set_tap_send_buffer(int descriptor, int bytes)
{
    return ioctl(descriptor, TUNSETSNDBUF, &bytes) < 0 ? -errno : 0;
}

int lc_keep_tap(int descriptor) { return ioctl(descriptor, TUNSETPERSIST, 1) < 0 ? -errno : 0; }

int lc_set_slice(unsigned long long nanoseconds)
{
    /* struct sched_attr, which glibc lacks before 2.41: its first version is 48 bytes. */
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = 48};
    if (syscall(SYS_sched_getattr, 0, &attributes, 48, 0) < 0)
        return -errno;
    attributes.size = 48;
    attributes.runtime = nanoseconds;
    return syscall(SYS_sched_setattr, 0, &attributes, 0) < 0 ? -errno : 0;
}

int lc_open_memory(const char *name)
{
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return descriptor < 0 ? -errno : descriptor;
}

void *lc_map_readable(int descriptor, unsigned long bytes)
{
    struct stat facts;
    int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(descriptor, &facts) < 0 || facts.st_size < (off_t)bytes)
        return NULL;
    void *start = mmap(NULL, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    return start == MAP_FAILED ? NULL : start;
}

void *lc_make_shared(int descriptor, unsigned long bytes)
{
    if (ftruncate(descriptor, (off_t)bytes) < 0)
        return NULL;
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (start == MAP_FAILED)
        return NULL;
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    /* Without F_SEAL_FUTURE_WRITE, before Linux 5.1, a process that receives the descriptor can write to the memory. */
    if (fcntl(descriptor, F_ADD_SEALS, seals | F_SEAL_FUTURE_WRITE) < 0 && fcntl(descriptor, F_ADD_SEALS, seals) < 0) {
        munmap(start, bytes);
        return NULL;
    }
    return start;
}

void *lc_reserve(unsigned long bytes)
{
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

void lc_unreserve(void *start, unsigned long bytes) { munmap(start, bytes); }

void lc_forget_pages(void *start, unsigned long bytes) { madvise(start, bytes, MADV_DONTNEED); }

int lc_keep_room(int file, long long offset, long long bytes)
{
    return fallocate(file, FALLOC_FL_KEEP_SIZE, offset, bytes) < 0 ? -errno : 0;
}

long lc_write_two(int descriptor, const void *first, unsigned long first_count, const void *second,
                  unsigned long second_count)
{
    struct iovec parts[2] = {{(void *)first, first_count}, {(void *)second, second_count}};
    ssize_t count;
    do
        count = writev(descriptor, parts, second_count ? 2 : 1);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

long lc_read(int descriptor, void *buffer, unsigned long count)
{
    ssize_t result;
    do
        result = read(descriptor, buffer, count);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : result;
}
