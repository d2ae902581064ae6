// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file in memory without a name, which ends with its last descriptor.
package final class UnnamedFile {
    package let descriptor: Int32

    package init() throws {
        // O_TMPFILE is a compound macro, which Swift does not import.
        let unnamed: Int32 = 0o20000000 | O_DIRECTORY
        descriptor = open("/dev/shm", unnamed | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TestFailure("open /dev/shm: \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    /// Writes the text and goes back to the file's beginning.
    func write(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard Foundation.write(descriptor, bytes, bytes.count) == bytes.count, lseek(descriptor, 0, SEEK_SET) == 0
        else {
            throw TestFailure("write \(bytes.count) bytes: \(String(cString: strerror(errno)))")
        }
    }

    /// Everything in it. The position where a child goes on writing does not move.
    package func bytes() -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return [] }
        let size = Int(status.st_size)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let more = pread(descriptor, buffer.baseAddress?.advanced(by: count), size - count, off_t(count))
                guard more > 0 else { break }
                count += more
            }
        }
    }
}
