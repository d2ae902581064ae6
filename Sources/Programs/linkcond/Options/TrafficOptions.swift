// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LinkConditioning
import LinuxSystem
import Reports

struct TrafficOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Only traffic with this remote host, address or network; repeatable.", valueName: "HOST")
    )
    var to: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Only traffic with this port at either end; repeatable.", valueName: "PORT")
    )
    var port: [String] = []

    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp("Only tcp, udp or icmp; repeatable.", valueName: "PROTOCOL")
    )
    var transport: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Never this traffic: 'port 22', 'to 10.0.0.0/8', 'protocol icmp'; repeatable.",
            valueName: "TRAFFIC"
        )
    )
    var exclude: [String] = []

    private static let protocols = TransportProtocol.allCases.map(\.rawValue).joined(separator: ", ")

    var isEmpty: Bool { to.isEmpty && port.isEmpty && transport.isEmpty && exclude.isEmpty }

    /// The options as typed on a command line.
    var words: [String] {
        to.flatMap { ["--to", $0] } + port.flatMap { ["--port", $0] } + transport.flatMap { ["--protocol", $0] }
            + exclude.flatMap { ["--exclude", $0] }
    }

    func selection() throws -> Selection {
        var selection = Selection()
        for value in port where !selection.criteria.add("port", value) {
            throw Failure(.usage, "--port \(value) is not a port from 1 to 65535")
        }
        for value in transport where !selection.criteria.add("protocol", value) {
            throw Failure(.usage, "--protocol \(value) is not one of \(Self.protocols)")
        }
        for value in to { try add(remote: value, to: &selection.criteria) }
        for text in exclude {
            // "port=22" is accepted as well as "port 22".
            let parts = text.split { $0 == " " || $0 == "=" }
            let expected = "'port N', 'to ADDRESS' or 'protocol NAME', NAME being one of \(Self.protocols)"
            guard parts.count == 2 else {
                throw Failure(.usage, "--exclude '\(text)' is not \(expected)")
            }
            if parts[0] == "to" {
                try add(remote: String(parts[1]), to: &selection.exclusions)
            } else if !selection.exclusions.add(parts[0], parts[1]) {
                throw Failure(.usage, "--exclude '\(text)' is not \(expected)")
            }
        }
        return selection
    }

    /// Resolves a host name to its addresses, in order of preference; empty if the name is unknown.
    ///
    /// Uses getent(1), since a static program cannot load the system's name services.
    static func addresses(of name: String) -> [String] {
        guard !name.isEmpty, !name.hasPrefix("-") else { return [] }
        let addresses = SystemQuery.lines(["getent", "ahosts", name]).compactMap { $0.split(separator: " ").first }
        var seen: Set<Substring> = []
        return addresses.filter { seen.insert($0).inserted }.map(String.init)
    }

    /// Adds an address, a network, or the current addresses of a name to the criteria.
    private func add(remote: String, to criteria: inout Selection.Criteria) throws {
        guard !criteria.add("to", remote) else { return }
        let addresses = Self.addresses(of: remote)
        guard !addresses.isEmpty else {
            let problem = "--to \(remote) is not an address, a network or a known host name"
            throw Failure(.notFound, problem, remedy: "an address, or getent ahosts \(remote.shellWord)")
        }
        // Leaves out addresses with a zone, such as fe80::1%eth0, which a rule cannot match.
        let usable = addresses.filter { criteria.add("to", $0) }
        guard !usable.isEmpty else {
            throw Failure(.notFound, "--to \(remote) has no address that a rule can match: \(addresses)")
        }
        Console.note("\(remote) resolves to \(addresses.joined(separator: ", ")); later changes are not followed")
    }
}
