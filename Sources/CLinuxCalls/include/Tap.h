/* SPDX-License-Identifier: Apache-2.0
 * TAP devices: linux/if_tun.h. ioctl(2) is variadic, its requests are macros, and the newest offloads are missing from
 * older headers. Each call answers 0, a number or a negative errno. */
#ifndef LINKCOND_TAP_H
#define LINKCOND_TAP_H

/* What whoever reads the device accepts unfinished, as TUNSETOFFLOAD numbers it. */
enum {
    lc_offload_checksum = 0x01,
    lc_offload_tcp4 = 0x02,
    lc_offload_tcp6 = 0x04,
    lc_offload_tcp_ecn = 0x08,
    lc_offload_udp4 = 0x20, /* since Linux 6.2, and only together */
    lc_offload_udp6 = 0x40,
};

/* Opens /dev/net/tun, non-blocking and closed on exec. */
int lc_open_tun(void);

/* Makes a TAP device of it that ends with the descriptor; `name` (16 bytes) is asked for, or a pattern such as "tap%d",
 * and becomes the name it got: TUNSETIFF with IFF_TAP, IFF_NO_PI and IFF_VNET_HDR. */
int lc_make_tap(int descriptor, char *name);

/* Bytes of virtio-net header ahead of each frame, 10 or 12, in the machine's byte order: TUNSETVNETHDRSZ. */
int lc_set_tap_header_size(int descriptor, int size);
int lc_set_tap_offloads(int descriptor, unsigned int offloads);

/* Bytes that may wait between write(2) and the stack: TUNSETSNDBUF. */
int lc_set_tap_send_buffer(int descriptor, int bytes);

/* Lets the device stay when its last descriptor is closed: TUNSETPERSIST. */
int lc_keep_tap(int descriptor);

/* Figures of a network device of the calling thread's network: netdevice(7). */
int lc_set_device_mtu(const char *name, int mtu);
int lc_set_device_up(const char *name);
int lc_set_device_queue(const char *name, int packets);
int lc_device_index(const char *name);
int lc_device_address(const char *name, unsigned char *address);
int lc_set_device_address(const char *name, const unsigned char *address);

/* A descriptor that becomes readable at a time of CLOCK_MONOTONIC: timerfd_create(2). */
int lc_open_timer(void);

/* Has it become readable at `nanoseconds`, at once where that is past; 0 for never. */
int lc_set_timer(int timer, long long nanoseconds);

/* How late, in nanoseconds, the kernel may wake the calling thread: PR_SET_TIMERSLACK of prctl(2). */
int lc_set_timer_slack(unsigned long nanoseconds);

/* Has the scheduler let the calling thread in soon after it wakes, for stretches of `nanoseconds` (100000 to 100000000):
 * sched_setattr(2) with a slice of its own, which means something since Linux 6.12 and is ignored before. */
int lc_set_slice(unsigned long long nanoseconds);

/* Has a poller forget a descriptor: epoll_ctl(2). */
void lc_unwatch(int poller, int descriptor);

/* epoll_wait(2) as lc_wait, without waiting a whole millisecond: -1 for ever, 0 for not at all. Bits of `watched`
 * descriptors, each added under a key below 64. */
int lc_wait_keys(int poller, unsigned long long *keys, int milliseconds);

/* Maps memory behind a descriptor shared: mmap(2). NULL where that fails, or where there is less of it;
 * lc_make_shared makes it as large as that first. */
void *lc_map_shared(int descriptor, unsigned long bytes);
void *lc_make_shared(int descriptor, unsigned long bytes);

/* Address space whose pages take memory once they are written, and lc_forget_pages to give them back. */
void *lc_reserve(unsigned long bytes);
void lc_unreserve(void *start, unsigned long bytes);
void lc_forget_pages(void *start, unsigned long bytes);

/* One frame in parts, written or refused as a whole: writev(2). */
long lc_write_two(int descriptor, const void *first, unsigned long first_count, const void *second,
                  unsigned long second_count);
long lc_read(int descriptor, void *buffer, unsigned long count);

#endif
