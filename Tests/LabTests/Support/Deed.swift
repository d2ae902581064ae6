// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit

/// Something that linkcond does to an interface, to be killed at.
enum Deed: String {
    case apply, replace, change = "switch", reset, applyFor, run, applyForASecond

    /// Those after which nothing changes by itself for a while.
    static let lasting = [apply, replace, change, reset, applyFor, run]

    /// What is done before it, without being disturbed.
    var preparation: String? {
        switch self {
        case .apply, .applyFor, .applyForASecond, .run: nil
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
        case .applyForASecond: "apply 'Slow Net' -i DEV --for 1s --before-foreign"
        case .run: "run 'Slow Net' -i DEV --before-foreign -- sleep 0.05"
        }
    }

    /// Whether it has a second process.
    var hasSecond: Bool { self == .run || self == .applyFor }
}

/// Which of a deed's processes are killed.
enum Victim: CaseIterable {
    case owner, second, both
}

/// When a process is killed.
struct Moment: CustomStringConvertible {
    let seconds: Double
    /// Whether the time counts from when the interface was taken, and not from the process's start.
    let isSinceLock: Bool

    /// A moment at random in a deed that takes `span` seconds; in two of three cases while the kernel is being changed,
    /// which is a small part of it.
    static func random(in span: Double) -> Moment {
        let isSinceLock = Int.random(in: 0..<3) > 0
        return Moment(seconds: Double.random(in: 0...(isSinceLock ? 0.3 : 1)) * span, isSinceLock: isSinceLock)
    }

    var description: String { "\(seconds) s since \(isSinceLock ? "the lock" : "the start")" }
}

extension Deed {
    /// Does it and sends `signal` to the victims at `moment`; comes back when all of it has ended that does
    /// not outlive it on purpose.
    func perform(on hosts: Hosts, killing victim: Victim, with signal: Int32 = SIGKILL, at moment: Moment) throws {
        if let preparation { try Shell.check("\(hosts.inside) \(words(preparation, hosts))") }
        let process = try RunningCommand(shell: "\(hosts.inside) \(words(arguments, hosts))")
        if moment.isSinceLock { Self.waitForLock(of: process.number) }
        usleep(UInt32(moment.seconds * 1e6))
        let children = Self.children(of: process.number)
        if victim != .second { process.send(signal) }
        if victim != .owner { for child in children { kill(child, signal) } }
        process.wait()
        guard self == .run else { return }
        let deadline = now() + 20
        while now() < deadline, children.contains(where: { kill($0, 0) == 0 }) { usleep(2000) }
    }

    /// How long it takes undisturbed here, in seconds.
    func span(on hosts: Hosts) throws -> Double {
        if let preparation { try Shell.check("\(hosts.inside) \(words(preparation, hosts))") }
        let process = try RunningCommand(shell: "\(hosts.inside) \(words(arguments, hosts))")
        let start = now()
        process.wait()
        let span = now() - start
        try Shell.check("\(hosts.inside) \(Shell.linkcond) reset")
        return span
    }

    /// Waits until the process or a child of it has taken the interface: from then on the kernel is being changed.
    private static func waitForLock(of process: pid_t) {
        let deadline = now() + 5
        while now() < deadline, kill(process, 0) == 0 {
            let owners = [process] + children(of: process)
            for file in (try? FileManager.default.contentsOfDirectory(atPath: "/run/linkcond")) ?? [] {
                guard file.hasSuffix(".lock") else { continue }
                let text = (try? String(contentsOfFile: "/run/linkcond/\(file)", encoding: .utf8)) ?? ""
                if let owner = text.split(separator: " ").first.flatMap({ pid_t($0) }), owners.contains(owner) {
                    return
                }
            }
            usleep(200)
        }
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
