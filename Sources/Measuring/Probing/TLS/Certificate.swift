// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import InternetAddresses

/// The fields of an X.509 certificate that a probe reports (RFC 5280).
struct Certificate: Hashable {
    /// The first and the last second in which it is valid, in seconds since 1970.
    let notBefore: Int64
    let notAfter: Int64
    /// The host names and addresses in subjectAltName.
    let names: [String]
    let addresses: [IPAddress]
    /// Whether the issuer's name equals the subject's.
    let isSelfIssued: Bool

    /// Reads an X509 of OpenSSL; nil if the dates are malformed.
    init?(_ certificate: OpaquePointer) {
        var (start, end): (Int64, Int64) = (0, 0)
        guard lc_seconds_of(X509_get0_notBefore(certificate), &start) == 1,
            lc_seconds_of(X509_get0_notAfter(certificate), &end) == 1
        else { return nil }
        (notBefore, notAfter) = (start, end)
        isSelfIssued = X509_NAME_cmp(X509_get_issuer_name(certificate), X509_get_subject_name(certificate)) == 0
        var names: [String] = []
        var addresses: [IPAddress] = []
        if let list = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil).map(OpaquePointer.init) {
            defer { GENERAL_NAMES_free(list) }
            for index in 0..<lc_general_name_count(list) {
                guard let name = lc_general_name(list, index), let value = lc_general_name_bytes(name) else { continue }
                let start = ASN1_STRING_get0_data(value)
                let bytes = Array(UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(value))))
                if name.pointee.type == GEN_DNS {
                    names.append(String(decoding: bytes, as: UTF8.self))
                } else if let address = IPAddress(bytes: bytes) {
                    addresses.append(address)
                }
            }
        }
        self.names = names
        self.addresses = addresses
    }
}
