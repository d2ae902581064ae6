// SPDX-License-Identifier: Apache-2.0

internal import COpenSSL

/// SHA-256, by which files and conditions are compared without being kept.
package enum SHA256 {
    /// The digest of `bytes`, in hexadecimal digits.
    package static func text(of bytes: some Collection<UInt8>) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let made = bytes.withContiguousStorageIfAvailable { bytes in
            EVP_Digest(bytes.baseAddress, bytes.count, &digest, &length, EVP_sha256(), nil)
        }
        guard let made else { return text(of: Array(bytes)) }
        precondition(made == 1 && length == 32, "OpenSSL has no SHA-256")
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
