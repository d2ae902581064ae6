// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import Netlink
internal import PacketPump
internal import TrafficControl

/// The capabilities of this machine, tested in a new network namespace.
public struct Examination: Sendable {
    /// The result of one check.
    public struct Finding: Sendable {
        /// The subject of the check.
        public let subject: String
        /// Whether the check passed.
        public let isFine: Bool
        /// The result as text.
        public let detail: String
        /// A remedy; nil if all is well, or there is none.
        public let remedy: Remedy?

        /// Makes a finding.
        public init(subject: String, isFine: Bool, detail: String, remedy: Remedy?) {
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
    /// Whether the userspace engine works on this kernel, and this process may use it.
    public private(set) var canUseUserspace = false

    /// Runs every check. The process stays in a new network namespace, so this must be its last task.
    public static func run() -> Examination {
        var examination = Examination()
        examination.examinePrivilege()
        examination.examineKernel()
        return examination
    }

    private var mayChange = false
    /// Whether the kernel can redirect packets to a TAP device and back.
    private var canRedirect = false
    /// Whether the kernel has netem, but lacks ifb or mirred, so that netem can only be a root qdisc.
    private var canBeRoot = false
    private static let onlyRoot = "without ifb and mirred only for the uplink of an interface, as its root qdisc"

    /// Adds a check that passed, with `detail`, unless there is a `problem`.
    private mutating func add(_ subject: String, _ detail: String, problem: String? = nil, remedy: Remedy? = nil) {
        let remedy = problem == nil ? nil : remedy
        findings.append(Finding(subject: subject, isFine: problem == nil, detail: problem ?? detail, remedy: remedy))
    }

    private mutating func examinePrivilege() {
        mayChange = (try? RouteConnection(RouteSocket()))?.mayChange ?? false
        add(
            "privilege",
            "can condition the interfaces of this network namespace",
            problem: mayChange ? nil : "lacks CAP_NET_ADMIN here",
            remedy: Remedy(.becomeRoot)
        )
        guard geteuid() == 0, mayChange, !Confinement.canChangeUser else { return }
        add(
            "pump's user",
            "",
            problem: "lacks CAP_SETUID or CAP_SETGID: the process that reads the packets keeps root's user ID, "
                + "without any capability",
            remedy: "docker run --cap-add SETUID --cap-add SETGID; in a unit's CapabilityBoundingSet=, add both"
        )
    }

    private mutating func examineKernel() {
        let facts = KernelFacts.current()
        add("kernel", "Linux \(facts.version)")
        let home = try? RouteConnection(RouteSocket())
        let failsOpen = KernelFacts.canFailOpen
        let result = lc_unshare(Int32(lc_network_namespace | (geteuid() == 0 ? 0 : lc_user_namespace)))
        // A container may forbid new namespaces. The checks then run in the present one, and leave nothing changed.
        let isApart = result == 0
        guard isApart || mayChange else {
            let problem = "cannot make a network namespace for tests: \(String(cString: strerror(-result)))"
            return add("namespaces", "", problem: problem, remedy: Remedy(.examineAsRoot))
        }
        let untried = isApart ? "" : " (clsact, bpf and u32 untested without a namespace)"
        do {
            let connection = RouteConnection(try RouteSocket())
            var missing: Set<KernelFeature> = []
            for feature in KernelFeature.allCases {
                let problem = problem { () throws(NetlinkError) in
                    try AutoCreatedIFBs(home ?? connection)
                        .without { () throws(NetlinkError) in try connection.has(feature) }
                }
                if problem != nil { missing.insert(feature) }
                add(feature.rawValue, feature.purpose, problem: problem)
            }
            var filters: [String?] = [nil, nil]
            if isApart {
                filters = ["bpf", "u32"].map { kind in
                    problem { () throws(NetlinkError) in try connection.has(filter: kind) }
                }
                add("clsact, bpf", "select the traffic", problem: filters[0])
                add("u32", "lets what the userspace engine sends pass", problem: filters[1])
            }
            // Without sch_prio and act_police, netem limits queues in packets.
            canBeRoot = !missing.contains(.netem) && !missing.isDisjoint(with: [.ifb, .mirred])
            canUseNetem = missing.isSubset(of: [.priorityBands, .police]) && filters[0] == nil
            canRedirect = !missing.contains(.mirred) && filters == [nil, nil]
            add(
                "fail open",
                "an interface is free if the processes of the userspace engine are killed or frozen",
                problem: failsOpen
                    ? nil
                    : "needs Linux 5.12 and CAP_BPF; if the userspace engine's processes are all killed or frozen, packets are "
                        + "dropped"
            )
            let needed = KernelVersion.netemSeed
            add("seed", "runs can be repeated", problem: facts.version >= needed ? nil : "needs Linux \(needed)")
        } catch {
            // AppArmor can allow user namespaces without any capabilities in them.
            return add("netlink", "", problem: error.description, remedy: Remedy(.examineAsRoot))
        }
        add(
            "engine netem",
            "works on this kernel\(untried)",
            problem: canUseNetem ? nil : canBeRoot ? Self.onlyRoot : "cannot work on this kernel",
            remedy: Remedy(.installModules)
        )
    }

    /// Adds the findings about sandboxes, and whether the userspace engine works.
    public mutating func addUserspace(afterwards sandbox: [Finding]) {
        findings += sandbox
        let problem = TapDevice.accessProblem
        canUseUserspace = canRedirect && problem == nil
        add(
            "engine userspace",
            "carries conditions where netem cannot",
            problem: canUseUserspace
                ? nil : problem.map(Self.withoutTaps) ?? "cannot work without clsact, bpf, u32 and mirred",
            remedy: problem == nil ? Remedy(.installModules) : Remedy(.advice, TapDevice.remedy)
        )
    }

    /// The features that still work without TAP devices.
    private static func withoutTaps(_ problem: TapError) -> String {
        FrameDevices.loopbackProblem == nil
            ? "\(problem): carries no interface, only run --offline, by a veth pair" : problem.description
    }

    /// The reason why a feature is missing or cannot be tested; nil if the kernel has it.
    private func problem(_ isPresent: () throws(NetlinkError) -> Bool) -> String? {
        do {
            return try isPresent() ? nil : "not in this kernel"
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
