// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import LinkProfiles

/// Resolves the names of remote ends that faults are about.
enum FaultNames {
    /// The faults with the present addresses of names, as `--to` has them.
    static func resolved(_ faults: [Fault]) throws -> [Fault] {
        var known: [String: [FaultMatch.Remote]] = [:]
        func addresses(of remote: FaultMatch.Remote) throws -> [FaultMatch.Remote] {
            guard case .name(let name) = remote else { return [remote] }
            if let known = known[name] { return known }
            // A packet's address has no zone.
            let found = TrafficOptions.addresses(of: name).compactMap { AddressPrefix($0) }
            guard !found.isEmpty else {
                throw Failure(.notFound, "a fault is about the host \(name), which has no known address")
            }
            let words = found.map(\.description).joined(separator: ", ")
            Console.note("\(name) resolves to \(words); later changes are not followed")
            known[name] = found.map(FaultMatch.Remote.prefix)
            return known[name] ?? []
        }
        return try faults.map { fault in
            var fault = fault
            fault.match.ends.remotes = try fault.match.ends.remotes.flatMap { try addresses(of: $0) }
            fault.match.exclusions.remotes = try fault.match.exclusions.remotes.flatMap { try addresses(of: $0) }
            return fault
        }
    }
}
