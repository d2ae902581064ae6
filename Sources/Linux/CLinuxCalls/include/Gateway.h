/* SPDX-License-Identifier: Apache-2.0
 * What a gateway between two networks needs: bytes moved between sockets, and messages with descriptors. Each
 * call returns 0, a number or a negative errno. */
#ifndef LINKCOND_GATEWAY_H
#define LINKCOND_GATEWAY_H

#include "Sockets.h"

/* Moves up to so many bytes from a socket to a pipe, or from a pipe to a socket, without waiting: splice(2). 0 at the end. */
long lc_move_bytes(int from, int to, unsigned long bytes);

/* A non-blocking pipe, closed on exec: pipe2(2). */
int lc_make_pipe(int ends[2]);

/* The next connection to a listening socket, non-blocking and closed on exec, and who has made it: accept4(2). */
int lc_accept_from(int socket, struct lc_address *peer);

/* Sends one message over a unix socket of SOCK_SEQPACKET, with a descriptor unless that is negative: SCM_RIGHTS of unix(7). */
int lc_send_message(int socket, const void *bytes, unsigned long count, int descriptor);

/* Receives one: its bytes, and a descriptor, closed on exec; -1 for none. 0 after the other end has been closed. */
long lc_receive_message(int socket, void *bytes, unsigned long size, int *descriptor);

#endif
