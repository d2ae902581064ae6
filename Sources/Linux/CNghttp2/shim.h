/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINKCOND_CNGHTTP2_H
#define LINKCOND_CNGHTTP2_H

#include <nghttp2/nghttp2.h>

#endif
