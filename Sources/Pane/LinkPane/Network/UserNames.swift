// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// The names of this machine's accounts; those of a directory service are left out.
///
/// Read from the file: a static program cannot load the system's name services.
struct UserNames {
    private let names: [UInt32: String]

    init() {
        self.init((try? SmallFile.read("/etc/passwd", followsLinks: true, limit: 1 << 20)) ?? [])
    }

    /// Reads the text of passwd(5).
    init(_ text: [UInt8]) {
        var names: [UInt32: String] = [:]
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count > 2, let id = UInt32(fields[2]), names[id] == nil else { continue }
            names[id] = String(fields[0])
        }
        self.names = names
    }

    /// The name of an account; "uid 1000" if it is not known.
    func name(of id: UInt32) -> String { names[id] ?? "uid \(id)" }
}
