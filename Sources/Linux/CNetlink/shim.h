/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINKCOND_CNETLINK_H
#define LINKCOND_CNETLINK_H

#include <linux/filter.h>
#include <linux/fib_rules.h>
#include <linux/gen_stats.h>
#include <linux/genetlink.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tc_act/tc_mirred.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <netlink/socket.h>

/* Since Linux 6.6; missing in the headers of Debian 12. */
#define LC_TCA_NETEM_PRNG_SEED 14

#endif
