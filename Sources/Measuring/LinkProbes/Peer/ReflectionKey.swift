// SPDX-License-Identifier: Apache-2.0

internal import COpenSSL

/// The secret that a reflector and its clients share.
package struct ReflectionKey: Sendable {
    private let secret: [UInt8]
    /// The length of a tag in bytes: HMAC-SHA-256-128 (RFC 4868).
    static let tagLength = 16
    /// The fewest bytes of a key: a shorter one could be guessed.
    package static let minimumLength = 16

    /// Makes a key from a text; nil if it is shorter than `minimumLength`.
    package init?(_ text: String) {
        guard text.utf8.count >= Self.minimumLength else { return nil }
        secret = Array(text.utf8)
    }

    private init(secret: [UInt8]) { self.secret = secret }

    /// Generates the text of a new key, with 120 random bits.
    package static func text(_ random: inout some RandomNumberGenerator) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz234567")
        return String((0..<24).map { _ in letters[Int.random(in: 0..<32, using: &random)] })
    }

    /// Derives a key for one purpose, from which this key cannot be computed.
    func derived(_ purpose: String, _ numbers: UInt64...) -> ReflectionKey {
        ReflectionKey(secret: code(Array(purpose.utf8) + numbers.flatMap { number in bigEndian(number) }))
    }

    /// Computes the authentication tag of `bytes`.
    func tag(_ bytes: [UInt8]) -> ArraySlice<UInt8> { code(bytes).prefix(Self.tagLength) }

    /// Computes a 64-bit number from `bytes`, which needs the key.
    func number(_ bytes: [UInt8]) -> UInt64 { code(bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

    /// Whether `tag` is the tag of `bytes`; compares in constant time.
    func isRight(_ tag: ArraySlice<UInt8>, of bytes: [UInt8]) -> Bool {
        let right = self.tag(bytes)
        return right.count == tag.count && zip(right, tag).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private func code(_ bytes: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let made = HMAC(EVP_sha256(), secret, Int32(secret.count), bytes, bytes.count, &result, &length)
        precondition(made != nil && length == 32, "OpenSSL has no SHA-256")
        return result
    }

    private func bigEndian(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
