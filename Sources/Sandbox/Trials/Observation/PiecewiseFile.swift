// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem
internal import Reports

/// A file that is written in pieces, with the digest of what was written.
final class PiecewiseFile {
    private let descriptor: CInt
    private var buffer: [UInt8] = []
    private var failure: CInt?
    private let running = RunningDigest()

    private static let room = 1 << 16

    /// Writes to an open file.
    init(_ descriptor: CInt) { self.descriptor = descriptor }

    func write(_ text: String) {
        buffer += text.utf8
        if buffer.count >= Self.room { flush() }
    }

    /// The SHA-256 of all that was written. Called once.
    var digest: String {
        flush()
        return running.finish()
    }

    /// Writes the rest; returns the first errno, or nil.
    func finish() -> CInt? {
        flush()
        return failure
    }

    private func flush() {
        buffer.withUnsafeBytes { running.add($0) }
        failure = failure ?? Descriptors.write(buffer[...], to: descriptor)
        buffer.removeAll(keepingCapacity: true)
    }
}
