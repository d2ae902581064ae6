// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Containers
import Exploration
import Glibc
import LinkProfiles
import LinuxSystem
import ProfileCatalog

extension CompletionAnswer {
    /// The values of an argument, by its metavariable.
    init(valuesOf argument: CommandArgument, of command: CommandName, _ current: String) {
        guard argument.values.isEmpty else {
            self.init(argument.values)
            return
        }
        switch argument.metavariable {
        case "PROFILE" where Self.isPath(current), "SCENARIO" where Self.isPath(current): self.init([], .files)
        case "PROFILE": self.init(Self.profiles(of: command), .others)
        case "SCENARIO": self.init(Catalog.scenarioNames.map(Catalog.shortSpelling), .others)
        case "DEV=PROFILE": self.init(Self.uplinks(current))
        case "FILE", "PATH", "REPORT": self.init([], .files)
        case "DIR": self.init([], .directories)
        case "DEV": self.init(InterfaceNames.all)
        case "NETNS": self.init(Self.names(in: "/run/netns"))
        case "CONTAINER": self.init(Self.containers)
        case "USER": self.init(Self.users)
        case "PID": self.init(Self.names(in: "/proc").filter { Int($0) != nil })
        case "EXPECTATION": self.init(Self.expectations)
        case "FIGURE=RANGE": self.init(Self.ranges)
        case "TRAFFIC": self.init(CompetingList.examples)
        case "K/N": self.init(["auto"])
        case "KIND":
            let groups = DisturbanceKind.Group.allCases.map(\.rawValue)
            self.init(groups + DisturbanceKind.allCases.map(\.rawValue))
        case "FORMAT": self.init(Linkcond.Import.Format.names)
        case "TARGET" where current.hasPrefix("@"): self.init([], .files)
        case "TARGET": self.init(["https://", "tcp://", "tls://", "dns://", "icmp://", "udp://", "link:", "internet"])
        default: self.init()
        }
    }

    private static func isPath(_ word: String) -> Bool { word.contains("/") || word.hasPrefix(".") }

    private static func profiles(of command: CommandName) -> [String] {
        let catalog = CatalogOptions.catalog()
        let names =
            switch command {
            case .edit, .remove: catalog.own.profileNames
            case .matrix, .show: catalog.profileNames + Catalog.scenarioNames
            default: catalog.profileNames
            }
        return names.map(Catalog.shortSpelling)
    }

    /// Uplinks such as wifi0=LTE.
    private static func uplinks(_ current: String) -> [String] {
        guard let equals = current.firstIndex(of: "=") else { return ["wifi0=", "cell0="] }
        return profiles(of: .run).map { current[...equals] + $0 }
    }

    private static var containers: [String] {
        ContainerSources.here().flatMap { (try? $0.running()) ?? [] }.map(\.name)
    }

    private static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// The accounts of this machine; those of a directory service are left out.
    private static var users: [String] {
        let bytes = (try? SmallFile.read("/etc/passwd", followsLinks: true, limit: 1 << 20)) ?? []
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.compactMap { $0.split(separator: ":").first.map(String.init) }
    }

    /// The beginnings of expectations, up to a label: its apostrophes would end the shell's quotes.
    private static var expectations: [String] {
        ClientExpectation.examples.map { example in
            let beginning = example.prefix { $0 != "'" }
            return beginning.count == example.count ? example : String(beginning.dropLast())
        }
    }

    private static let ranges = [
        "loss=0..50%", "delay=0..2s", "jitter=0..500ms", "rate=10Mbit/s..10kbit/s", "downlink.rate=10Mbit/s..10kbit/s",
        "uplink.rate=10Mbit/s..10kbit/s", "downlink.loss=0..50%", "uplink.loss=0..50%",
    ]
}
