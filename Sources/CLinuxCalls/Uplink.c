/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "CLinuxCalls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <net/route.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static void set_address(struct sockaddr *place, const char *text)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    if (text)
        inet_pton(AF_INET, text, &address.sin_addr);
    memcpy(place, &address, sizeof(address));
}

int lc_configure_device(const char *name, const char *address, const char *mask, const char *gateway)
{
    struct ifreq request = {0};
    struct rtentry route = {.rt_flags = RTF_UP | RTF_GATEWAY, .rt_dev = request.ifr_name};
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    set_address(&route.rt_dst, NULL);
    set_address(&route.rt_genmask, NULL);
    set_address(&route.rt_gateway, gateway);
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return -errno;
    set_address(&request.ifr_addr, address);
    int result = ioctl(descriptor, SIOCSIFADDR, &request);
    set_address(&request.ifr_netmask, mask);
    if (result == 0)
        result = ioctl(descriptor, SIOCSIFNETMASK, &request);
    if (result == 0)
        result = ioctl(descriptor, SIOCADDRT, &route);
    result = result < 0 ? -errno : 0;
    close(descriptor);
    return result;
}
