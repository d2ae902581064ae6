// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Something that linkcond does to an interface, to be killed at.
enum Deed: String, CaseIterable {
    case apply, replace, change = "switch", reset, applyFor, run

    /// What is done before it, without being disturbed.
    var preparation: String? {
        switch self {
        case .apply, .applyFor, .run: nil
        case .replace, .change, .reset: "apply 'Slow Net' -i DEV --before-foreign"
        }
    }

    var arguments: String {
        switch self {
        case .apply: "apply 'Slow Net' -i DEV --before-foreign"
        case .replace: "apply LTE -i DEV --before-foreign"
        case .change: "switch LTE -i DEV --before-foreign"
        case .reset: "reset -i DEV"
        case .applyFor: "apply 'Slow Net' -i DEV --for 60s --before-foreign"
        case .run: "run 'Slow Net' -i DEV --before-foreign -- sleep 0.05"
        }
    }

    /// How long it takes undisturbed here, roughly, in seconds.
    var span: Double { self == .run ? 0.35 : 0.2 }

    /// Whether it has a second process.
    var hasSecond: Bool { self == .run || self == .applyFor }
}

/// Which of a deed's processes are killed.
enum Victim: CaseIterable {
    case owner, second, both
}

extension Deed {
    /// Does it and sends `signal` to the victims `moment` seconds later; comes back when all of it has ended that does
    /// not outlive it on purpose.
    func perform(on hosts: Hosts, killing victim: Victim, with signal: Int32 = SIGKILL, after moment: Double) throws {
        if let preparation { try Shell.check("\(hosts.inside) \(words(preparation, hosts))") }
        let process = try Shell.Background("\(hosts.inside) \(words(arguments, hosts))")
        usleep(UInt32(moment * 1e6))
        let children = Self.children(of: process.processID)
        if victim != .second { process.kill(signal) }
        if victim != .owner { for child in children { kill(child, signal) } }
        process.wait()
        guard self == .run else { return }
        let deadline = now() + 20
        while now() < deadline, children.contains(where: { kill($0, 0) == 0 }) { usleep(2000) }
    }

    private func words(_ arguments: String, _ hosts: Hosts) -> String {
        "\(Shell.linkcond) \(arguments.replacing("DEV", with: hosts.interface))"
    }

    private static func children(of process: pid_t) -> [pid_t] {
        let text = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
        return (text ?? "").split(separator: " ").compactMap { pid_t($0) }
    }
}

extension Hosts {
    /// What a line of shell begins with that is to be the near host's.
    var inside: String { "ip netns exec \(near)" }
}
