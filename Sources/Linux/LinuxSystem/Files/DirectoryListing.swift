// SPDX-License-Identifier: Apache-2.0

import Glibc

package enum DirectoryListing {
    /// The names in `directory` without "." and ".."; empty if it cannot be read.
    package static func names(in directory: String) -> [String] {
        (try? read(directory)) ?? []
    }

    /// The names in `directory` without "." and ".."; throws if it cannot be read.
    package static func read(_ directory: String) throws(SystemError) -> [String] {
        let failure = { SystemError(operation: "list \(directory)", code: errno) }
        guard let stream = opendir(directory) else { throw failure() }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // readdir(3) returns nil both at the end and on failure; only errno differs.
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw failure() }
                return names
            }
            // d_name is a tuple to Swift; its address is the C string.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// The names that are numbers, such as the processes in /proc.
    package static func numbers(in directory: String) -> [CInt] {
        names(in: directory).compactMap { CInt($0) }
    }
}
