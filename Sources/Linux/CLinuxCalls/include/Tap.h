/* SPDX-License-Identifier: Apache-2.0
 * TAP devices: linux/if_tun.h. ioctl(2) is variadic, its requests are macros, and the newest offloads are missing from
 * older headers. Each call returns 0, a number or a negative errno. */
#ifndef LINKCOND_TAP_H
#define LINKCOND_TAP_H

/* The work that the reader of the device accepts: flags of TUNSETOFFLOAD. */
enum {
    lc_offload_checksum = 0x01,
    lc_offload_tcp4 = 0x02,
    lc_offload_tcp6 = 0x04,
    lc_offload_tcp_ecn = 0x08,
    lc_offload_udp4 = 0x20, /* since Linux 6.2, only together with lc_offload_udp6 */
    lc_offload_udp6 = 0x40,
};

/* Opens /dev/net/tun, non-blocking and closed on exec. */
int lc_open_tun(void);

/* Makes a TAP device, or a TUN device if `is_tun`, that is deleted with the descriptor: TUNSETIFF with IFF_TAP or
 * IFF_TUN, IFF_NO_PI and IFF_VNET_HDR. `name` (16 bytes) is a name or a pattern such as "tap%d", and is replaced by the
 * device's name. */
int lc_make_tap(int descriptor, char *name, int is_tun);

/* Sets the size of the virtio-net header before each frame, 10 or 12 bytes, in the machine's byte order:
 * TUNSETVNETHDRSZ. */
int lc_set_tap_header_size(int descriptor, int size);
int lc_set_tap_offloads(int descriptor, unsigned int offloads);

/* Sets the number of bytes that may wait between write(2) and the stack: TUNSETSNDBUF. */
int lc_set_tap_send_buffer(int descriptor, int bytes);

/* Keeps the device after its last descriptor is closed: TUNSETPERSIST. */
int lc_keep_tap(int descriptor);

/* Opens a timer that becomes readable at a time of CLOCK_MONOTONIC, or of CLOCK_BOOTTIME, which continues while the
 * machine is suspended: timerfd_create(2). */
int lc_open_timer(void);
int lc_open_boot_timer(void);

/* Sets the time, in `nanoseconds` of its clock, at which a timer becomes readable; at once if that is past; 0 disarms
 * it. */
int lc_set_timer(int timer, long long nanoseconds);

/* Sets the scheduler slice of the calling thread, in `nanoseconds` (100000 to 100000000): sched_setattr(2). With a short
 * slice, the thread runs soon after it wakes. Linux before 6.12 ignores it. */
int lc_set_slice(unsigned long long nanoseconds);

/* Removes a descriptor from a poller: epoll_ctl(2). */
void lc_unwatch(int poller, int descriptor);

/* epoll_wait(2) for descriptors with keys below 64; sets one bit in `keys` for each ready descriptor. Waits without
 * limit for -1, not at all for 0. */
int lc_wait_keys(int poller, unsigned long long *keys, int milliseconds);

/* Map the memory of a descriptor with MAP_SHARED: mmap(2). lc_map_readable returns NULL if that fails, or if the memory
 * is smaller than `bytes` or could shrink, which would kill each process that reads it. lc_make_shared first sets the
 * size and seals it: fcntl_seals. */
void *lc_map_readable(int descriptor, unsigned long bytes);
void *lc_make_shared(int descriptor, unsigned long bytes);

/* Reserves address space whose pages use memory only once they are written; lc_forget_pages releases that memory. */
void *lc_reserve(unsigned long bytes);
void lc_unreserve(void *start, unsigned long bytes);
void lc_forget_pages(void *start, unsigned long bytes);

/* Allocates blocks for a file beyond its size, which does not change: fallocate(2), which Swift does not import. */
int lc_keep_room(int file, long long offset, long long bytes);

/* Writes one frame in two parts: writev(2). */
long lc_write_two(int descriptor, const void *first, unsigned long first_count, const void *second,
                  unsigned long second_count);
long lc_read(int descriptor, void *buffer, unsigned long count);

#endif
