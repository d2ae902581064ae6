// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles
internal import Netlink

extension PlanStep {
    /// The equivalent command for ip(8), tc(8) or sysctl(8), or a comment for a step without one. tc cannot express a
    /// custom delay table or a delay above 274 s.
    package var command: String {
        switch self {
        case .kernel(let step): step.command
        case .setLoopback(let device, let settings, _): settings.command(device)
        case .pump(.use(let tap, let conditions)):
            "# the process that serves \(tap) carries \"\(conditions.profile.name)\" from now on"
        case .pump(.revert(let tap)): "# the process that serves \(tap) uses its previous conditions again"
        case .drain(.ifb(let name), let limit), .drain(.root(let name), let limit):
            "# wait until \(name) holds no packet, \(limit.text) at most"
        case .drain(.pump(let tap), let limit):
            "# wait until the process that serves \(tap) holds no packet, \(limit.text) at most"
        }
    }
}

extension KernelStep {
    fileprivate var command: String {
        switch self {
        case .addIFB(let name): "ip link add \(name) txqueuelen 1000 type ifb"
        case .disableAddresses(let name): "ip link set \(name) addrgenmode none"
        case .describe(let name, let alias, _):
            "ip link set \(name) alias '\(String(String.UnicodeScalarView(alias.unicodeScalars.filter { $0 != "'" })))'"
        case .bringUp(let name): "ip link set \(name) up"
        case .addQdisc(let name, let qdisc): "tc qdisc add dev \(name) \(qdisc.arguments)"
        case .addRootQdisc(let device, let qdisc): "tc qdisc add dev \(device) \(qdisc.arguments)"
        case .changeRootQdisc(let device, let qdisc, _): "tc qdisc change dev \(device) \(qdisc.arguments)"
        case .deleteRootQdisc(let device): "tc qdisc del dev \(device) root handle \(LaneQdiscs.rootHandle)"
        case .addPolicer(let name, let policer):
            "tc filter add dev \(name) parent \(LaneQdiscs.policerHandle) pref \(Policer.preference) protocol all "
                + "handle 1 bpf skip_hw bytecode '1,6 0 0 4294967295' \(policer.arguments)"
        case .addHook(let device): "tc qdisc add dev \(device) clsact"
        case .addFilter(let filter): "tc filter add \(filter.arguments)"
        case .replaceFilter(let filter, _): "tc filter replace \(filter.arguments)"
        case .deleteFilter(let filter):
            "tc filter del dev \(filter.device) \(filter.hook) pref \(filter.preference) protocol all handle 1 bpf"
        case .deleteDevice(let name): "ip link del \(name)"
        case .deleteHook(let device): "tc qdisc del dev \(device) clsact"
        case .setMTU(let device, let mtu, _): "ip link set \(device) mtu \(mtu)"
        case .addReturn(let tap, let device, let arrives):
            "tc qdisc add dev \(tap) clsact; tc filter add dev \(tap) ingress pref 1 protocol all handle 1 bpf skip_hw "
                + "bytecode '1,6 0 0 4294967295' action mirred \(arrives ? "ingress" : "egress") redirect dev \(device)"
        case .addPassFilter(let device, let tap, let pass):
            "tc filter add dev \(device) egress pref \(pass.preference) protocol all u32 match u32 0 0 "
                + "flowid \(pass.flow) indev \(tap)"
        case .deletePassFilter(let device, let pass):
            "tc filter del dev \(device) egress pref \(pass.preference) protocol all u32"
        }
    }
}

extension Tap {
    /// The equivalent command for ip(8). The pump's process creates the device itself.
    package var command: String {
        let digits = Array(address ?? "")
        let pairs = stride(from: 0, to: digits.count, by: 2).map { String(digits[$0...($0 + 1)]) }
        let words = address == nil ? "" : " address \(pairs.joined(separator: ":"))"
        return "ip tuntap add \(name) mode tap vnet_hdr; ip link set \(name) mtu \(mtu)\(words) up"
    }
}

extension LaneFilter {
    fileprivate var arguments: String {
        let cookie = mark.cookie.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let bytecode = ([String(program.count)] + program.map(\.description)).joined(separator: ",")
        return "dev \(device) \(hook) pref \(preference) protocol all handle 1 bpf skip_hw bytecode '\(bytecode)' "
            + "action mirred egress redirect dev \(target) cookie \(cookie)"
    }
}

extension Qdisc {
    fileprivate var arguments: String {
        let options: String =
            switch kind {
            case .netem(let netem): netem.arguments
            case .tokenBucket(let bucket):
                "tbf rate \(bucket.bytesPerSecond * 8)bit burst \(bucket.burst) limit \(bucket.limit)"
            case .priorityBands(let bands):
                "prio bands \(bands.bands) priomap \(bands.map.map(\.description).joined(separator: " "))"
            case .clsact, .other: kind.name
            }
        return "\(parent == .root ? "root" : "parent \(parent)") handle \(handle) \(options)"
    }
}

extension Policer {
    /// tc-police(8) takes the bucket in bytes, and computes its time from them.
    fileprivate var arguments: String {
        let time = UInt64(burst) * Self.tick
        let bytes = Double(time) * Double(bytesPerSecond) / 1e9
        return "action police rate \(bytesPerSecond * 8)bit burst \(UInt64(bytes.rounded())) "
            + "mtu \(Self.largestPacket) overhead \(packetOverhead) linklayer \(usesATMCells ? "atm" : "ethernet") "
            + "conform-exceed drop/ok"
    }
}

extension Netem {
    fileprivate var arguments: String {
        var arguments = ["netem limit \(limit)"]
        if latency > 0 || jitter > 0 {
            arguments.append("delay \(Self.time(latency))" + (jitter > 0 ? " \(Self.time(jitter))" : ""))
        }
        let shape = Jitter.Distribution.allCases.first { DelayTable.values(for: $0) == distribution }
        if !distribution.isEmpty { arguments.append("distribution \(shape?.rawValue ?? "normal")") }
        switch loss {
        case .random(let share): if share > 0 { arguments.append("loss random \(Self.percent(share))") }
        case .gilbertElliott(let p, let r, let bad, let good):
            arguments.append("loss gemodel " + [p, r, bad, good].map(Self.percent).joined(separator: " "))
        case .fourState(let p13, let p31, let p32, let p14, let p23):
            arguments.append("loss state " + [p13, p31, p32, p23, p14].map(Self.percent).joined(separator: " "))
        }
        if ecn { arguments.append("ecn") }
        if duplicate > 0 { arguments.append("duplicate \(Self.percent(duplicate))") }
        if corrupt > 0 { arguments.append("corrupt \(Self.percent(corrupt))") }
        if gap > 0 { arguments.append("reorder \(Self.percent(reorder)) gap \(gap)") }
        if rate.bytesPerSecond > 0 {
            arguments.append(
                "rate \(rate.bytesPerSecond * 8)bit \(rate.packetOverhead) \(rate.cellSize) \(rate.cellOverhead)"
            )
        }
        if let seed { arguments.append("seed \(seed)") }
        return arguments.joined(separator: " ")
    }

    private static func time(_ nanoseconds: Int64) -> String {
        String(Duration.nanoseconds(nanoseconds).text.filter { $0 != " " })
    }

    private static func percent(_ share: Fraction) -> String {
        "\(Double(share) / Double(UInt32.max) * 100)%"
    }
}
