// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// What a file holds, wherever it is being written.
func text(of file: Int32) -> String {
    let size = Int(lseek(file, 0, SEEK_END))
    lseek(file, 0, SEEK_SET)
    var bytes = [UInt8](repeating: 0, count: size)
    #expect(read(file, &bytes, size) == size)
    return String(decoding: bytes, as: UTF8.self)
}
