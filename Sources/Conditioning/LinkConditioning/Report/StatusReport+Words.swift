// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension StatusReport {
    /// The objects that interrupted commands left.
    package var remains: [String] {
        let filters = devices.flatMap { device in
            device.danglingFilters.map { "filter \($0) on \(device.interface), which drops packets" }
        }
        return devices.flatMap(\.leftovers) + leftovers + filters
    }
}

extension StatusReport.Rule {
    /// Sentences on other rules that match the same packets, and on which rule gets these packets.
    package func overlapWords(on device: StatusReport.Device) -> [String] {
        let earlier = device.rules.prefix { $0.number != number }.map(\.number)
        func sentence(_ numbers: [Int], _ result: String) -> [String] {
            guard !numbers.isEmpty else { return [] }
            let list = numbers.map(String.init).joined(separator: ", ")
            return ["overlaps rule\(numbers.count == 1 ? "" : "s") \(list): packets of both are \(result)"]
        }
        return sentence(overlaps.filter(earlier.contains), "not this rule's")
            + sentence(overlaps.filter { !earlier.contains($0) }, "this rule's")
    }

    /// A sentence on the packets if the processes that carry the rule end; nil if none carry it.
    package var failsOpenWords: String? {
        failsOpen.map { isOpen in
            let kind = isOpen ? "open" : "closed"
            let result =
                isOpen ? "packets pass unconditioned" : "packets are dropped until the next linkcond command"
            return "fails \(kind): if its processes are killed or frozen, \(result)"
        }
    }

    /// A sentence on the lanes that another program has removed; nil if there are none.
    ///
    /// - Parameter network: the option that names the network namespace, with a space before it.
    package func missingWords(on device: StatusReport.Device, in network: String = "") -> String? {
        guard !missing.isEmpty else { return nil }
        let names = missing.map(\.name).joined(separator: ", ")
        return
            "another program removed the \(names); \"linkcond reset -i \(device.interface)\(network)\" removes the rest"
    }

    /// A sentence on other programs' filters that see the packets first; nil if there are none.
    package var askedBeforeWords: String? {
        guard !askedBefore.isEmpty else { return nil }
        return "filters ahead of it, which may pass or drop packets: \(askedBefore.joined(separator: ", "))"
    }
}
