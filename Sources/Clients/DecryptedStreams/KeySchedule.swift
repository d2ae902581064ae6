// SPDX-License-Identifier: Apache-2.0

internal import COpenSSL

/// Derives keys from secrets with OpenSSL's key derivation functions.
enum KeySchedule {
    /// HKDF-Expand-Label without a context (RFC 8446, section 7.1).
    static func expand(_ secret: [UInt8], _ label: String, _ hash: CipherSuite.Hash, length: Int) -> [UInt8]? {
        derive(
            "TLS13-KDF",
            [
                ("digest", Array(hash.rawValue.utf8), true), ("mode", Array("EXPAND_ONLY".utf8), true),
                ("key", secret, false), ("prefix", Array("tls13 ".utf8), false), ("label", Array(label.utf8), false),
            ],
            length: length
        )
    }

    /// The pseudorandom function of TLS 1.2 (RFC 5246, section 5).
    static func keyBlock(
        master: [UInt8],
        serverRandom: [UInt8],
        clientRandom: [UInt8],
        _ hash: CipherSuite.Hash,
        length: Int
    ) -> [UInt8]? {
        derive(
            "TLS1-PRF",
            [
                ("digest", Array(hash.rawValue.utf8), true), ("secret", master, false),
                ("seed", Array("key expansion".utf8) + serverRandom + clientRandom, false),
            ],
            length: length
        )
    }

    private static func derive(
        _ function: String,
        _ values: [(name: StaticString, bytes: [UInt8], isText: Bool)],
        length: Int
    ) -> [UInt8]? {
        guard let function = EVP_KDF_fetch(nil, function, nil) else { return nil }
        defer { EVP_KDF_free(function) }
        guard let context = EVP_KDF_CTX_new(function) else { return nil }
        defer { EVP_KDF_CTX_free(context) }
        // The parameters hold pointers to their names and bytes. OpenSSL reads strings up to a zero byte.
        let copies = values.map { value in
            let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: value.bytes.count + 1)
            _ = copy.initialize(fromContentsOf: value.bytes.map { CChar(bitPattern: $0) } + [0])
            return copy
        }
        defer { for copy in copies { copy.deallocate() } }
        let parameters = zip(values, copies).map { value, copy in
            let name = UnsafeRawPointer(value.name.utf8Start).assumingMemoryBound(to: CChar.self)
            return value.isText
                ? OSSL_PARAM_construct_utf8_string(name, copy.baseAddress, value.bytes.count)
                : OSSL_PARAM_construct_octet_string(name, copy.baseAddress, value.bytes.count)
        }
        var key = [UInt8](repeating: 0, count: length)
        return EVP_KDF_derive(context, &key, length, parameters + [OSSL_PARAM_construct_end()]) == 1 ? key : nil
    }
}
