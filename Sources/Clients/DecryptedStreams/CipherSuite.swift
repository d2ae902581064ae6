// SPDX-License-Identifier: Apache-2.0

internal import COpenSSL

/// A cipher suite with authenticated encryption: the parameters that are needed to read its records.
struct CipherSuite {
    enum Cipher {
        case aes128GCM
        case aes256GCM
        case chaCha20Poly1305

        var keyLength: Int { self == .aes128GCM ? 16 : 32 }

        /// OpenSSL's constant object for the cipher, which is not freed.
        var algorithm: OpaquePointer? {
            switch self {
            case .aes128GCM: EVP_aes_128_gcm()
            case .aes256GCM: EVP_aes_256_gcm()
            case .chaCha20Poly1305: EVP_chacha20_poly1305()
            }
        }
    }

    /// The hash function of the suite's key schedule, by OpenSSL's name.
    enum Hash: String {
        case sha256 = "SHA256"
        case sha384 = "SHA384"

        var length: Int { self == .sha256 ? 32 : 48 }
    }

    let cipher: Cipher
    let hash: Hash

    /// Before TLS 1.3: the bytes of a nonce that are derived with the keys. With GCM, the rest is in the record (RFC
    /// 5288).
    var fixedNonceLength: Int { cipher == .chaCha20Poly1305 ? 12 : 4 }

    /// A suite of TLS 1.3 (RFC 8446, appendix B.4); nil for an unsupported one.
    init?(tls13 number: UInt16) {
        switch number {
        case 0x1301: (cipher, hash) = (.aes128GCM, .sha256)
        case 0x1302: (cipher, hash) = (.aes256GCM, .sha384)
        case 0x1303: (cipher, hash) = (.chaCha20Poly1305, .sha256)
        default: return nil
        }
    }

    /// A suite of TLS 1.2 whose keys are exchanged by RSA, DHE or ECDHE (RFC 5288, 5289, 7905); nil for an unsupported
    /// one.
    init?(tls12 number: UInt16) {
        switch number {
        case 0x009C, 0x009E, 0xC02B, 0xC02F: (cipher, hash) = (.aes128GCM, .sha256)
        case 0x009D, 0x009F, 0xC02C, 0xC030: (cipher, hash) = (.aes256GCM, .sha384)
        case 0xCCA8, 0xCCA9, 0xCCAA: (cipher, hash) = (.chaCha20Poly1305, .sha256)
        default: return nil
        }
    }
}
