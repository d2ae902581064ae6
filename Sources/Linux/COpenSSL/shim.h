/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINKCOND_COPENSSL_H
#define LINKCOND_COPENSSL_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <time.h>

/* Function-like macros do not import. */

static inline long lc_ssl_set_host_name(SSL *ssl, const char *name)
{
    return SSL_set_tlsext_host_name(ssl, name);
}

static inline long lc_ssl_set_least_version(SSL_CTX *context, int version)
{
    return SSL_CTX_set_min_proto_version(context, version);
}

static inline long lc_ssl_set_mode(SSL_CTX *context, long mode)
{
    return SSL_CTX_set_mode(context, mode);
}

static const uint64_t lc_ssl_no_renegotiation = SSL_OP_NO_RENEGOTIATION;

static inline int lc_error_library(unsigned long code) { return ERR_GET_LIB(code); }

static inline int lc_error_reason(unsigned long code) { return ERR_GET_REASON(code); }

static inline int lc_general_name_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }

static inline GENERAL_NAME *lc_general_name(const GENERAL_NAMES *names, int index)
{
    return sk_GENERAL_NAME_value(names, index);
}

/* The bytes of a name of a host or an address; NULL for a name of another kind. GENERAL_NAME's union has members
   whose types do not import. */
static inline const ASN1_STRING *lc_general_name_bytes(const GENERAL_NAME *name)
{
    return name->type == GEN_DNS ? name->d.dNSName : name->type == GEN_IPADD ? name->d.iPAddress : NULL;
}

/* Seconds since 1970; 0 where the time is none. OpenSSL has no time_t of an ASN1_TIME. */
static inline int lc_seconds_of(const ASN1_TIME *time, long long *seconds)
{
    struct tm parts;
    if (time == NULL || !ASN1_TIME_to_tm(time, &parts))
        return 0;
    *seconds = timegm(&parts);
    return 1;
}

#endif
