// SPDX-License-Identifier: Apache-2.0

import Containers
import LinkConditioning
import LinkProfiles

extension ContainerList {
    /// The containers as a table.
    var lines: [OutputLine] {
        guard !containers.isEmpty else { return ["no container runs here"] }
        let header = ["NAME", "ID", "ENGINE", "PID", "INTERFACES", "CONDITIONS"]
        return Table(header: header, of: containers, row: \.cells).lines()
    }
}

extension ListedContainer {
    fileprivate var cells: [String] {
        [
            container.name, String(container.id.prefix(12)), source, container.process.map(String.init) ?? "-",
            interfaces.map { $0.isEmpty ? "-" : $0.joined(separator: ", ") } ?? "-", conditionWords,
        ]
    }

    private var conditionWords: String {
        if let problem { return "unknown: \(problem)" }
        let rules = status?.devices.flatMap { device in
            device.rules.map { rule in
                let scope = rule.traffic.isEverything ? "" : " for \(rule.traffic)"
                return "\(device.interface): \(rule.profile ?? "?")\(scope)\(rule.facing.words)"
            }
        }
        var words = rules ?? []
        if case .container(let other)? = container.sharedNetwork { words.append("network of \(other.prefix(12))") }
        return words.isEmpty ? "none" : words.joined(separator: "; ")
    }

    /// The container as JSON, with the facts that are known.
    var json: JSON {
        var shared: String?
        if case .container(let other)? = container.sharedNetwork { shared = other }
        let devices = status.map { report in JSON.list(report.devices.map(\.json)) }
        return JSON(
            ("name", .text(container.name)),
            ("id", .text(container.id)),
            ("engine", .text(source)),
            ("pid", .number(container.process)),
            ("interfaces", interfaces?.json),
            ("networkOf", .text(shared)),
            ("conditions", devices),
            ("problem", .text(problem))
        )
    }
}
