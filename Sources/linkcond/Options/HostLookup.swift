// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Asks the system which addresses a host's name stands for.
enum HostLookup {
    /// The addresses in the order of preference; none where the name is unknown.
    ///
    /// Asked of getent(1): a static program cannot load the system's name services itself.
    static func addresses(of name: String) -> [String] {
        // A name goes to a shell only if it can hold nothing that the shell would understand.
        let isPlain = name.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-" || $0 == "_")
        }
        guard isPlain, !name.isEmpty, !name.hasPrefix("-"),
            let pipe = popen("getent ahosts \(name) 2>/dev/null", "r")
        else { return [] }
        defer { pclose(pipe) }
        var addresses: [String] = []
        var line = [CChar](repeating: 0, count: 512)
        while fgets(&line, CInt(line.count), pipe) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard let address = text.split(separator: " ").first.map(String.init), !addresses.contains(address) else {
                continue
            }
            addresses.append(address)
        }
        return addresses
    }
}
