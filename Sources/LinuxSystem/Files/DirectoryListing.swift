// SPDX-License-Identifier: Apache-2.0

import Glibc

package enum DirectoryListing {
    /// The names in `directory` without "." and ".."; empty if it cannot be read.
    package static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // d_name is a tuple to Swift; its address is the C string.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The names that are numbers, such as the processes in /proc.
    package static func numbers(in directory: String) -> [CInt] {
        names(in: directory).compactMap { CInt($0) }
    }
}
