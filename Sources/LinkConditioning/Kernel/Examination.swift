// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import Netlink

/// The capabilities of this machine, tested in a network namespace of its own.
public struct Examination: Sendable {
    /// The result of one check.
    public struct Finding: Sendable {
        /// The subject of the check.
        public let subject: String
        /// Whether the check passed.
        public let isFine: Bool
        /// The result as text.
        public let detail: String
        /// What to type to fix it.
        public let remedy: String?

        /// Makes a finding.
        public init(subject: String, isFine: Bool, detail: String, remedy: String?) {
            self.subject = subject
            self.isFine = isFine
            self.detail = detail
            self.remedy = remedy
        }
    }

    /// The results, in order.
    public var findings: [Finding] = []
    /// Whether the netem engine works on this kernel.
    public private(set) var canUseNetem = false

    /// Runs every check. The process stays in a new network namespace, so this must be its last task.
    public static func run() -> Examination {
        var examination = Examination()
        examination.lookAtPrivilege()
        examination.lookAtKernel()
        return examination
    }

    private var mayChange = false

    private mutating func add(_ subject: String, _ isFine: Bool, _ detail: String, remedy: String? = nil) {
        findings.append(Finding(subject: subject, isFine: isFine, detail: detail, remedy: isFine ? nil : remedy))
    }

    private mutating func lookAtPrivilege() {
        do {
            _ = try RouteConnection(try RouteSocket()).has(.netem)
            mayChange = true
        } catch {}
        add(
            "privilege",
            mayChange,
            mayChange ? "can condition the interfaces of this network namespace" : "lacks CAP_NET_ADMIN here",
            remedy: "sudo linkcond ..., or a private network: unshare -rn"
        )
    }

    private mutating func lookAtKernel() {
        let facts = KernelFacts.current()
        add("kernel", true, "Linux \(facts.version)")
        let home = try? RouteConnection(RouteSocket())
        let failsOpen = KernelFacts.canFailOpen
        let result = lc_unshare(Int32(lc_network_namespace | (geteuid() == 0 ? 0 : lc_user_namespace)))
        // A container may forbid namespaces. The checks then run here and change nothing.
        let isApart = result == 0
        guard isApart || mayChange else {
            let reason = String(cString: strerror(-result))
            add(
                "namespaces",
                false,
                "cannot make a network namespace for tests: \(reason)",
                remedy: "sudo linkcond doctor"
            )
            return
        }
        let untried = isApart ? "" : " (clsact and bpf untested without a namespace)"
        do {
            let connection = RouteConnection(try RouteSocket())
            var isComplete = true
            for feature in KernelFeature.allCases {
                let isPresent = try AutoCreatedIFBs(home ?? connection)
                    .without { () throws(NetlinkError) in try connection.has(feature) }
                // Without these two, netem limits queues in packets.
                isComplete = isComplete && (isPresent || [.priorityBands, .police].contains(feature))
                add(feature.rawValue, isPresent, isPresent ? feature.purpose : "not in this kernel")
            }
            let hook = isApart ? Self.tryHook(connection) : nil
            if isApart { add("clsact, bpf", hook == nil, hook ?? "select the traffic") }
            add(
                "fail open",
                failsOpen,
                failsOpen
                    ? "an interface is free if the processes of the userspace engine are killed or frozen"
                    : "needs Linux 5.12 and CAP_BPF; if the userspace engine's processes are all killed or frozen, packets are "
                        + "dropped"
            )
            let hasSeed = facts.version >= .netemSeed
            add("seed", hasSeed, hasSeed ? "runs can be repeated" : "needs Linux \(KernelVersion.netemSeed)")
            canUseNetem = isComplete && hook == nil
        } catch {
            // AppArmor can allow user namespaces without any capabilities in them.
            add("netlink", false, error.description, remedy: "sudo linkcond doctor")
            return
        }
        add(
            "engine netem",
            canUseNetem,
            canUseNetem ? "works on this kernel\(untried)" : "cannot work on this kernel",
            remedy: Distribution.current.remedy
        )
    }

    /// Adds clsact and a filter to the namespace's loopback; returns the kernel's error, if any.
    private static func tryHook(_ connection: RouteConnection) -> String? {
        do {
            let loopback: Int32 = 1
            try connection.perform(Qdisc.clsact(on: loopback).add(on: "lo"))
            let program = [BPFInstruction(code: 0x06, constant: 0)]
            let filter = RedirectFilter(
                link: loopback,
                hook: .egress,
                preference: 1,
                cookie: [],
                program: program,
                target: loopback
            )
            try connection.perform(filter.add(on: "lo"))
            return nil
        } catch {
            return error.description
        }
    }
}

extension KernelFeature {
    fileprivate var purpose: String {
        switch self {
        case .netem: "delays, loses, limits"
        case .tokenBucket: "splits super-packets into wire packets"
        case .priorityBands, .police: "counts the bytes in a queue"
        case .ifb: "carries a lane"
        case .mirred: "sends traffic through a lane"
        }
    }
}
