// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import LinkConditioning
import LinkProfiles

/// Resolves the host names of remote ends to their current addresses, each once, as `--to` does.
struct RemoteNames {
    private var known: [String: [AddressPrefix]] = [:]

    /// Returns the faults with addresses instead of host names.
    static func resolved(_ faults: [Fault]) throws -> [Fault] {
        var names = RemoteNames()
        return try faults.map { fault in
            var fault = fault
            fault.match.ends.remotes = try names.prefixes(of: fault.match.ends, for: "a fault").map { .prefix($0) }
            fault.match.exclusions.remotes = try names.prefixes(of: fault.match.exclusions, for: "a fault").map {
                .prefix($0)
            }
            return fault
        }
    }

    /// Makes the selection of a rule in a file, with addresses instead of host names.
    mutating func selection(_ rule: TrafficRule) throws -> Selection {
        Selection(try criteria(rule.ends), excluding: try criteria(rule.exclusions))
    }

    private mutating func criteria(_ ends: FaultMatch.Ends) throws -> Selection.Criteria {
        var criteria = Selection.Criteria()
        criteria.remotes = try prefixes(of: ends, for: "a rule")
        (criteria.ports, criteria.protocols) = (ends.ports, ends.protocols)
        return criteria
    }

    private mutating func prefixes(of ends: FaultMatch.Ends, for subject: String) throws -> [AddressPrefix] {
        try ends.remotes.flatMap { remote in
            switch remote {
            case .prefix(let prefix): [prefix]
            case .name(let name): try addresses(of: name, for: subject)
            }
        }
    }

    private mutating func addresses(of name: String, for subject: String) throws -> [AddressPrefix] {
        if let found = known[name] { return found }
        // Addresses with a zone are left out, since packets contain no zone.
        let found = TrafficOptions.addresses(of: name).compactMap { AddressPrefix($0) }
        guard !found.isEmpty else {
            throw Failure(.notFound, "\(subject) is about the host \(name), which has no known address")
        }
        let words = found.map(\.description).joined(separator: ", ")
        Console.note("\(name) resolves to \(words); later changes are not followed")
        known[name] = found
        return found
    }
}
