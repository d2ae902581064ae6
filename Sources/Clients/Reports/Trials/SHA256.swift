// SPDX-License-Identifier: Apache-2.0

/// SHA-256, by which files and conditions are compared without being kept.
package enum SHA256 {
    /// The digest of `bytes`, in hexadecimal digits.
    package static func text(of bytes: some Collection<UInt8>) -> String {
        let digest = RunningDigest()
        let isAdded: Void? = bytes.withContiguousStorageIfAvailable { digest.add(UnsafeRawBufferPointer($0)) }
        if isAdded == nil { Array(bytes).withUnsafeBytes { digest.add($0) } }
        return digest.finish()
    }
}
