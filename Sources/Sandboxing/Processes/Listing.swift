// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Directories of proc(5) whose entries are numbers.
enum Listing {
    /// The numbers in `directory`; none where it cannot be read.
    static func numbers(in directory: String) -> [CInt] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var numbers: [CInt] = []
        while let entry = readdir(stream) {
            // d_name is a tuple to Swift; its address is the C string.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if let number = CInt(name) { numbers.append(number) }
        }
        return numbers
    }
}
