/* SPDX-License-Identifier: Apache-2.0
 * Calls for a gateway between two networks: moving bytes between sockets, and messages with descriptors. Each call
 * returns 0, a number or a negative errno. */
#ifndef LINKCOND_GATEWAY_H
#define LINKCOND_GATEWAY_H

#include "Sockets.h"

/* Moves up to `bytes` bytes from a socket to a pipe, or from a pipe to a socket, without waiting: splice(2). 0 at the
 * end. */
long lc_move_bytes(int from, int to, unsigned long bytes);

/* Makes a non-blocking pipe, closed on exec: pipe2(2). */
int lc_make_pipe(int ends[2]);

/* Accepts the next connection of a listening socket, non-blocking and closed on exec, and stores the client's address
 * in `peer`: accept4(2). */
int lc_accept_from(int socket, struct lc_address *peer);

/* Sends one message over a SOCK_SEQPACKET unix socket, with a descriptor unless that is negative: SCM_RIGHTS of
 * unix(7). */
int lc_send_message(int socket, const void *bytes, unsigned long count, int descriptor);

/* Receives one such message; returns the number of its bytes, 0 if the other end is closed. Stores its descriptor,
 * closed on exec, or -1 for none. */
long lc_receive_message(int socket, void *bytes, unsigned long size, int *descriptor);

#endif
