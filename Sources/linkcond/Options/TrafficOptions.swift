// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkConditioning
import Netlink

/// Which traffic a rule is about.
struct TrafficOptions: ParsableArguments {
    @Option(name: .long, help: "Only traffic with this remote address or network; can be given more than once.")
    var to: [String] = []

    @Option(name: .long, help: "Only traffic with this port at either end; can be given more than once.")
    var port: [String] = []

    @Option(name: .customLong("protocol"), help: "Only tcp, udp or icmp; can be given more than once.")
    var transport: [String] = []

    @Option(name: .long, help: "Never this traffic: 'port 22', 'to 10.0.0.0/8', 'protocol icmp'; repeatable.")
    var exclude: [String] = []

    var isEmpty: Bool { to.isEmpty && port.isEmpty && transport.isEmpty && exclude.isEmpty }

    /// The traffic meant.
    func selection() throws -> Selection {
        var selection = Selection()
        for (key, values) in [("port", port), ("protocol", transport)] {
            for value in values where !selection.criteria.add(key, value) {
                throw Failure(.usage, "--\(key) \(value) is no \(key)")
            }
        }
        for value in to { try add(remote: value, to: &selection.criteria) }
        for text in exclude {
            // "port=22" is what some type first.
            let words = text.split { $0 == " " || $0 == "=" }
            guard words.count == 2 else {
                throw Failure(.usage, "--exclude '\(text)' is not 'port N', 'to ADDRESS' or 'protocol NAME'")
            }
            if words[0] == "to" {
                try add(remote: String(words[1]), to: &selection.exclusions)
            } else if !selection.exclusions.add(words[0], words[1]) {
                throw Failure(.usage, "--exclude '\(text)' is not 'port N', 'to ADDRESS' or 'protocol NAME'")
            }
        }
        return selection
    }

    /// Adds an address or network, or what a name stands for now.
    private func add(remote: String, to criteria: inout Selection.Criteria) throws {
        guard !criteria.add("to", remote) else { return }
        let addresses = HostLookup.addresses(of: remote)
        guard !addresses.isEmpty else {
            throw Failure(.notFound, "--to \(remote) is no address or network, and no host is known by that name")
        }
        // An address with a zone, as fe80::1%eth0, cannot be told from others of its kind.
        let usable = addresses.filter { criteria.add("to", $0) }
        guard !usable.isEmpty else {
            throw Failure(.notFound, "--to \(remote) has no address that packets could be told by: \(addresses)")
        }
        Console.note(
            "\(remote) is \(addresses.joined(separator: ", ")) now; later changes of its name are not followed"
        )
    }
}
