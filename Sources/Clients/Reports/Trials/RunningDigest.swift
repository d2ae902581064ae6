// SPDX-License-Identifier: Apache-2.0

internal import COpenSSL

/// The SHA-256 of bytes that come in pieces.
package final class RunningDigest {
    private let context = EVP_MD_CTX_new()

    package init() {
        let isReady = EVP_DigestInit_ex(context, EVP_sha256(), nil)
        precondition(isReady == 1, "OpenSSL has no SHA-256")
    }

    deinit { EVP_MD_CTX_free(context) }

    package func add(_ bytes: UnsafeRawBufferPointer) {
        let isAdded = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        precondition(isAdded == 1, "OpenSSL cannot compute SHA-256")
    }

    /// The digest of the bytes so far, in hexadecimal digits. No more bytes may be added.
    package func finish() -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let isMade = EVP_DigestFinal_ex(context, &digest, &length)
        precondition(isMade == 1 && length == 32, "OpenSSL cannot compute SHA-256")
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
