// SPDX-License-Identifier: Apache-2.0

internal import COpenSSL
internal import ClientTraffic

/// Decrypts the records of one side under one key, in order.
final class RecordCipher {
    private static let tagLength = 16
    private static let nonceLength = 12

    private let context: OpaquePointer
    private let fixedNonce: [UInt8]
    private let isTLS13: Bool
    /// The number of bytes of the nonce that each record contains.
    private let explicitNonceLength: Int
    /// The sequence number of the next record: the number of records decrypted so far.
    private var sequence: UInt64 = 0

    /// Makes the cipher of a traffic secret of TLS 1.3 (RFC 8446, section 7.3).
    convenience init?(secret: [UInt8], _ suite: CipherSuite) {
        guard secret.count == suite.hash.length,
            let key = KeySchedule.expand(secret, "key", suite.hash, length: suite.cipher.keyLength),
            let nonce = KeySchedule.expand(secret, "iv", suite.hash, length: Self.nonceLength)
        else { return nil }
        self.init(suite, key: key, nonce: nonce, isTLS13: true)
    }

    /// - Parameter nonce: the part of the nonce that is derived with the keys.
    init?(_ suite: CipherSuite, key: [UInt8], nonce: [UInt8], isTLS13: Bool) {
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        self.context = context
        (fixedNonce, self.isTLS13, explicitNonceLength) = (nonce, isTLS13, Self.nonceLength - nonce.count)
        guard key.count == suite.cipher.keyLength, 4...Self.nonceLength ~= nonce.count,
            EVP_DecryptInit_ex(context, suite.cipher.algorithm, nil, key, nil) == 1
        else { return nil }
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Decrypts the next record; nil, without effect, if the record was not encrypted with this key, or is not the
    /// next.
    func open(_ record: TLSRecord) -> [UInt8]? {
        let length = record.content.count - explicitNonceLength - Self.tagLength
        guard length >= 0 else { return nil }
        let number = (0..<8).map { UInt8(truncatingIfNeeded: sequence >> (56 - 8 * $0)) }
        // The record's number is combined with the nonce (RFC 8446, section 5.3; RFC 7905), or a part of the nonce is
        // in the record.
        var nonce = fixedNonce + record.content.prefix(explicitNonceLength)
        if explicitNonceLength == 0 { for index in 0..<8 { nonce[4 + index] ^= number[index] } }
        let header = record.header.prefix(3)
        let authenticated =
            isTLS13
            ? record.header
            : number + header + [UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
        var tag = Array(record.content.suffix(Self.tagLength))
        var plain = [UInt8](repeating: 0, count: length)
        var count: Int32 = 0
        guard EVP_DecryptInit_ex(context, nil, nil, nil, nonce) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), &tag) == 1,
            EVP_DecryptUpdate(context, nil, &count, authenticated, Int32(authenticated.count)) == 1
        else { return nil }
        let isOpen = record.content.withUnsafeBufferPointer { content in
            guard let base = content.baseAddress else { return false }
            return EVP_DecryptUpdate(context, &plain, &count, base + explicitNonceLength, Int32(length)) == 1
        }
        var rest = [UInt8](repeating: 0, count: Self.tagLength)
        guard isOpen, EVP_DecryptFinal_ex(context, &rest, &count) == 1 else { return nil }
        sequence += 1
        return plain
    }
}
