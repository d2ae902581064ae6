// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// The processes that parse a command's packets have none of the privileges that the sandbox was made with.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct RunConfinementTests {
    /// Who starts the program, and as whom the command runs.
    enum Start: String, CaseIterable {
        case asTester, asOtherUser, rootless

        static let possible = allCases.filter { Kernel.isRoot || $0 == .asTester }

        var caller: Caller { self == .rootless ? .nobody : .tester }
        var options: [String] { self == .asOtherUser ? ["--user", "nobody"] : [] }
        /// Whether there are root's privileges to give up.
        var isRoot: Bool { Kernel.isRoot && self != .rootless }
    }

    /// Runs a command in a sandbox; on some machines only root may use the machine's /dev/net/tun.
    private func run(_ start: Start, _ options: [String], _ line: String) throws -> CommandResult {
        let node = """
            mount -t tmpfs none /mnt && mknod -m 0666 /mnt/tun c 10 200 && mount --bind /mnt/tun /dev/net/tun && exec "$@"
            """
        let prefix = Kernel.isRoot ? ["unshare", "-m", "sh", "-c", node, "sh"] : []
        let installation = try Installation(for: start.caller)
        let command = [installation.path, "run"] + start.options + options + ["--", "sh", "-c", line]
        return try Program.start(
            prefix + start.caller.words + command,
            variables: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"]
        )
    }

    /// The facts of /proc/PID/status about the supervisor's child `name`.
    private func facts(_ name: String, _ start: Start, _ options: [String]) throws -> [String: String] {
        let facts = "grep -hE '^(Uid|Gid|Groups|CapPrm|CapEff|NoNewPrivs|Seccomp):'"
        // A relay has its name soon after the command starts.
        let line = "until process=$(pgrep -P $PPID -x \(name)); do sleep 0.02; done; \(facts) /proc/$process/status"
        let outcome = try run(start, options, line)
        try outcome.requireSuccess()
        let fields = outcome.lines.map { $0.split(separator: "\t", maxSplits: 1) }
        return Dictionary(
            uniqueKeysWithValues: fields.map { (String($0[0]), $0.dropFirst().first.map(String.init) ?? "") }
        )
    }

    private static let none = "0000000000000000"

    static let processes = [
        ("lc-pump", ["--offline", "--engine", "userspace", "Slow Net"]),
        ("lc-pump", ["--offline", "--log", "/dev/null"]),
        ("lc-relay", ["--offline", "--host-port", "auto"]),
    ]

    @Test(arguments: Start.possible, processes)
    func hasNoPrivileges(start: Start, process: (name: String, options: [String])) throws {
        let facts = try facts(process.name, start, process.options)
        #expect(facts["CapPrm:"] == Self.none, "\(facts)")
        #expect(facts["CapEff:"] == Self.none, "\(facts)")
        #expect(facts["NoNewPrivs:"] == "1", "\(facts)")
        #expect(facts["Seccomp:"] == "2", "\(facts)")
        guard start.isRoot else { return }
        for key in ["Uid:", "Gid:"] {
            let numbers = (facts[key] ?? "").split(separator: "\t").compactMap { Int($0) }
            // Real, effective, saved, and for files.
            #expect(numbers.count == 4 && numbers.allSatisfy((61184...65519).contains), "\(facts)")
        }
        #expect(facts["Groups:"]?.contains { $0.isNumber } == false, "\(facts)")
    }

    /// One that is made for conditions that come later, too. The shortest round trip of four: a busy machine delays some.
    @Test func carriesConditionsThatComeLater() throws {
        let line = "\"$LINKCOND\" switch 'Slow Net' && ping -n -c 4 -i 0.3 127.0.0.1 | grep -o 'mdev = 2[45]'"
        let command = ["--offline", "--engine", "userspace", "--", "sh", "-c", line]
        let outcome = try Program.start([Program.path, "run"] + command)
        #expect(["mdev = 24\n", "mdev = 25\n"].contains(outcome.output), "\(outcome)")
    }

    /// The process that reads packets has nothing; the one that opens sockets keeps its user, to whom firewalls see them belong.
    @Test(.enabled(if: Kernel.hasUplink, "needs /dev/net/tun"), arguments: Start.possible)
    func limitsTheUplink(start: Start) throws {
        for name in ["lc-gateway", "lc-sockets"] {
            let facts = try facts(name, start, [])
            #expect(facts["Seccomp:"] == "2" && facts["NoNewPrivs:"] == "1", "\(facts)")
            let users = (facts["Uid:"] ?? "").split(separator: "\t").compactMap { UInt32($0) }
            if name == "lc-gateway" {
                #expect(facts["CapEff:"] == Self.none && facts["CapPrm:"] == Self.none, "\(facts)")
                let isUnused = users.allSatisfy { (61184...65519).contains($0) }
                #expect(isUnused == start.isRoot, "\(facts)")
            } else {
                // CAP_NET_RAW, for pings where no group may send them otherwise.
                let kept = start.isRoot ? [Self.none, "0000000000002000"] : [Self.none]
                #expect(kept.contains(facts["CapPrm:"] ?? "") && facts["CapEff:"] == facts["CapPrm:"], "\(facts)")
                #expect(users.allSatisfy { $0 == (start == .rootless ? 65534 : geteuid()) }, "\(facts)")
            }
        }
    }

    /// A network namespace allows pings from ordinary sockets to no group unless told.
    @Test(
        .enabled(if: Kernel.hasUplink && Kernel.isRoot, "needs root and /dev/net/tun"),
        arguments: ["1 0", "0 2147483647"]
    )
    func letsTheSandboxPing(groups: String) throws {
        let outcome = try Program.isolatedShell(
            """
            sysctl -qw net.ipv4.ping_group_range="\(groups)"
            unshare -n sleep 20 & sleep 0.3
            ip link add near0 type veth peer name far0 netns $!
            ip address add 10.9.8.1/24 dev near0; ip link set near0 up
            nsenter -n -t $! sh -c 'ip address add 10.9.8.2/24 dev far0; ip link set far0 up'
            "$LINKCOND" run -- ping -n -c 2 -i 0.2 10.9.8.2; status=$?
            kill $!; exit $status
            """
        )
        #expect(outcome.status == 0 && outcome.output.contains("2 received"), "\(outcome)")
    }
}
