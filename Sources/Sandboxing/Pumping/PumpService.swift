// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkConditioning
internal import LinkProfiles
internal import PacketPump
internal import ProfileCatalog

/// What a pump's process does from its start to its end.
struct PumpService {
    let channel: PumpChannel
    let recordings: Recordings
    let log: CInt?

    /// Makes the TAP devices and serves until the other end of the channel is closed, or SIGTERM comes.
    func run(_ groups: [Detour]) -> Never {
        guard let signals = try? SignalQueue([SIGTERM]) else { _exit(1) }
        var logs: [PacketLog] = []
        let pumps: [PacketPump]
        do {
            pumps = try start(groups, &logs)
        } catch {
            channel.send(Array("cannot carry packets in userspace: \(error)".utf8))
            _exit(1)
        }
        channel.send([])
        for pump in pumps { _ = lc_send_descriptor(channel.descriptor, pump.counters.descriptor) }
        while true {
            Wait.untilReadable([channel.descriptor, signals.descriptor])
            guard signals.next() == nil, let bytes = channel.receive() else { break }
            channel.send(Array((use(bytes, pumps) ?? "").utf8))
        }
        for pump in pumps { pump.stop() }
        for log in logs { log.finish() }
        _exit(0)
    }

    private func start(_ groups: [Detour], _ logs: inout [PacketLog]) throws -> [PacketPump] {
        // The kernel would give the devices addresses of their own, and ask the network about them.
        let addresses = Setting("/proc/sys/net/ipv6/conf/default/addr_gen_mode")
        let usual = addresses.read()
        if usual != nil { try addresses.write("1") }
        defer { if let usual { try? addresses.write(usual) } }
        var configuration = PumpConfiguration()
        configuration.ephemeralPorts = NetworkSettings.ephemeralPorts
        return try groups.map { detour in
            let inputs = try detour.taps.map { tap in
                PumpInput(
                    try TapDevice(name: tap.name, mtu: Int(tap.mtu), address: tap.address.flatMap(Self.bytes)),
                    tap.traffic.input
                )
            }
            let log = log.map { PacketLog(descriptor: $0, device: detour.device, after: logs.first) }
            if let log { logs.append(log) }
            return try PacketPump(inputs, PumpConditions(), configuration, log: log)
        }
    }

    /// Puts a profile's conditions in force; gives what stands in the way.
    private func use(_ bytes: [UInt8], _ pumps: [PacketPump]) -> String? {
        let profile: Profile
        do {
            profile = try Profile(utf8: bytes)
        } catch {
            return error.issues.map { "\($0)" }.joined(separator: "\n")
        }
        // A recording's path is relative to a file that only whoever started the sandbox can read.
        if let missing = profile.traceReferences.first(where: { recordings[$0] == nil }) {
            return "the recording \(missing.file) was not given when the sandbox was made"
        }
        let conditions = PumpConditions(profile, traces: recordings)
        for pump in pumps { pump.use(conditions) }
        return nil
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8]? {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(String(digits[$0...($0 + 1)]), radix: 16) ?? 0 }
    }
}

extension Detour.Tap.Traffic {
    fileprivate var input: PumpInput.Traffic {
        switch self {
        case .loopback: .loopback
        case .leaving: .leaving
        case .arriving: .arriving
        }
    }
}
