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

    /// Serves until the other end of the channel is closed, or SIGTERM comes.
    func run(_ detours: [Detour]) -> Never {
        guard let signals = try? SignalQueue([SIGTERM]) else { _exit(1) }
        var logs: [PacketLog] = []
        var pumps: [PacketPump] = []
        while true {
            Wait.untilReadable([channel.descriptor, signals.descriptor])
            guard signals.next() == nil, let bytes = channel.receive() else { break }
            do {
                let conditions = try conditions(bytes)
                let isFirst = pumps.isEmpty
                if isFirst { pumps = try start(detours, &logs) }
                for pump in pumps { pump.use(conditions) }
                channel.send([])
                for pump in pumps where isFirst {
                    _ = lc_send_descriptor(channel.descriptor, pump.counters.descriptor)
                }
            } catch let refusal as Refusal {
                channel.send(Array(refusal.words.utf8))
            } catch {
                channel.send(Array("cannot carry packets in userspace: \(error)".utf8))
            }
        }
        for pump in pumps { pump.stop() }
        for log in logs { log.finish() }
        _exit(0)
    }

    private struct Refusal: Error {
        let words: String
    }

    private func start(_ detours: [Detour], _ logs: inout [PacketLog]) throws -> [PacketPump] {
        var configuration = PumpConfiguration()
        configuration.ephemeralPorts = NetworkSettings.ephemeralPorts
        return try detours.map { detour in
            let inputs = try detour.taps.map { tap in
                // The sandbox's network ends them; nobody waits for that.
                PumpInput(
                    try TapDevice(
                        name: tap.name,
                        mtu: Int(tap.mtu),
                        address: tap.address.flatMap(Self.bytes),
                        endsWithNetwork: true
                    ),
                    tap.traffic.input
                )
            }
            let log = log.map { PacketLog(descriptor: $0, device: detour.device, after: logs.first) }
            if let log { logs.append(log) }
            return try PacketPump(inputs, PumpConditions(), configuration, log: log)
        }
    }

    private func conditions(_ bytes: [UInt8]) throws(Refusal) -> PumpConditions {
        let profile: Profile
        do {
            profile = try Profile(utf8: bytes)
        } catch {
            throw Refusal(words: error.issues.map { "\($0)" }.joined(separator: "\n"))
        }
        // A recording's path is relative to a file that only whoever started the sandbox can read.
        if let missing = profile.traceReferences.first(where: { recordings[$0] == nil }) {
            throw Refusal(words: "the recording \(missing.file) was not given when the sandbox was made")
        }
        return PumpConditions(profile, traces: recordings)
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
