// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit

/// A command of linkcond that changes an interface and is killed meanwhile.
enum InterfaceCommand: String {
    case apply, replace, change = "switch", reset, applyFor, run, applyForASecond

    /// Those after which nothing changes by itself during a test.
    static let lasting = [apply, replace, change, reset, applyFor, run]

    /// The command that is run before it and not killed.
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

    /// Whether it has a child process.
    var hasChild: Bool { self == .run || self == .applyFor }
}

/// Which of a command's processes are killed.
enum KillTarget: CaseIterable {
    case parent, child, both
}

/// When a process is killed.
struct KillTime: CustomStringConvertible {
    let seconds: Double
    /// Whether the time counts from when the interface was locked, and not from the process's start.
    let isSinceLock: Bool

    /// A random time in a command that takes `span` seconds; in two of three cases while the kernel is being changed,
    /// which is a small part of the command.
    static func random(in span: Double) -> KillTime {
        let isSinceLock = Int.random(in: 0..<3) > 0
        return KillTime(seconds: Double.random(in: 0...(isSinceLock ? 0.3 : 1)) * span, isSinceLock: isSinceLock)
    }

    var description: String { "\(seconds) s since \(isSinceLock ? "the lock" : "the start")" }
}

extension InterfaceCommand {
    /// Runs the command, sends `signal` to the targets at `time`, and waits until every process has ended that is not
    /// meant to outlive the command.
    func perform(on hosts: Hosts, killing target: KillTarget, with signal: Int32 = SIGKILL, at time: KillTime) throws {
        if let preparation { try Shell.check("\(hosts.inside) \(shellLine(preparation, hosts))") }
        let process = try RunningCommand(shell: "\(hosts.inside) \(shellLine(arguments, hosts))")
        if time.isSinceLock { Self.waitForLock(of: process.number) }
        usleep(UInt32(time.seconds * 1e6))
        let children = Self.children(of: process.number)
        if target != .child { process.send(signal) }
        if target != .parent { for child in children { kill(child, signal) } }
        process.wait()
        guard self == .run else { return }
        _ = HangLimit.waits { !children.contains { kill($0, 0) == 0 } }
    }

    /// How long the command takes here if it is not killed, in seconds.
    func span(on hosts: Hosts) throws -> Double {
        if let preparation { try Shell.check("\(hosts.inside) \(shellLine(preparation, hosts))") }
        let process = try RunningCommand(shell: "\(hosts.inside) \(shellLine(arguments, hosts))")
        let start = now()
        process.wait()
        let span = now() - start
        try Shell.check("\(hosts.inside) \(Shell.linkcond) reset")
        return span
    }

    /// Waits until the process or a child of it has locked the interface: from then on the kernel is being changed.
    static func waitForLock(of process: pid_t) {
        let deadline = now() + Double(HangLimit.seconds)
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

    private func shellLine(_ arguments: String, _ hosts: Hosts) -> String {
        "\(Shell.linkcond) \(arguments.replacing("DEV", with: hosts.interface))"
    }

    private static func children(of process: pid_t) -> [pid_t] {
        let text = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
        return (text ?? "").split(separator: " ").compactMap { pid_t($0) }
    }
}

extension Hosts {
    /// The prefix of a shell command that is run on the near host.
    var inside: String { "ip netns exec \(near)" }
}
