// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinkProfiles
internal import LinuxSystem
internal import TrafficControl

/// What a pump's process does: serves devices, and answers who asks about them.
package struct PumpServer {
    /// The recordings that profiles may name.
    package let recordings: Recordings
    /// Where each packet's fate is written.
    package let log: CInt?
    /// net.ipv4.ip_local_port_range of the network.
    package let ephemeralPorts: ClosedRange<UInt16>
    /// Whether the TAP devices outlive the process, to end with their network: nobody then waits 30 ms for each.
    package let endsWithNetwork: Bool

    private var served: [ServedDevice] = []
    private var logs: [PacketLog] = []

    package init(recordings: Recordings, log: CInt?, ephemeralPorts: ClosedRange<UInt16>, endsWithNetwork: Bool) {
        self.recordings = recordings
        self.log = log
        self.ephemeralPorts = ephemeralPorts
        self.endsWithNetwork = endsWithNetwork
    }

    /// Readable when there is something to do: `tend`.
    package var descriptors: [CInt] { served.flatMap { $0.listeners + [$0.pump.ending] } }

    /// Whether no device is left.
    package var isDone: Bool { served.isEmpty }

    /// Answers who asks at the sockets, and lets go of pumps whose devices are gone.
    package mutating func tend() {
        for index in served.indices {
            for (tap, listener) in served[index].listeners.enumerated() where Wait.isReadable(listener) {
                guard let client = PumpChannel.accept(from: listener) else { continue }
                answer(client, at: index, tap)
                client.close()
            }
        }
        served.removeAll { device in
            guard Wait.isReadable(device.pump.ending) else { return false }
            device.listeners.forEach { close($0) }
            return true
        }
    }

    /// Does what is asked from where the process came from; nil where that is gone, or has nothing to say.
    package mutating func obey(_ channel: PumpChannel) -> Void? {
        guard let request = channel.receive().flatMap({ PumpRequest(json: $0) }),
            case .start(let devices, let profile) = request
        else { return nil }
        channel.send(start(devices, profile).json)
        return ()
    }

    /// Makes TAP devices and begins to serve them.
    package mutating func start(_ devices: [PumpedDevice], _ profile: Profile) -> PumpAnswer {
        // Devices that were deleted leave their names to these.
        tend()
        do {
            let conditions = try conditions(profile)
            for device in devices { served.append(try serve(device, profile, conditions)) }
            return PumpAnswer()
        } catch let refusal as Refusal {
            return PumpAnswer(refusal: refusal.words)
        } catch {
            return PumpAnswer(refusal: "cannot carry packets in userspace: \(error)")
        }
    }

    /// Ends all pumps, and with them what they hold.
    package mutating func stop() {
        for device in served { device.pump.stop() }
        for log in logs { log.finish() }
    }

    private struct ServedDevice {
        package let listeners: [CInt]
        package let traffic: [Traffic]
        package let pump: PacketPump
        package var profile: Profile
        package var previous: Profile
    }

    private struct Refusal: Error {
        package let words: String
    }

    private mutating func serve(
        _ device: PumpedDevice,
        _ profile: Profile,
        _ conditions: PumpConditions
    ) throws -> ServedDevice {
        var configuration = PumpConfiguration()
        configuration.ephemeralPorts = ephemeralPorts
        let listeners = device.taps.map(Self.listen)
        guard listeners.allSatisfy({ $0 >= 0 }) else {
            listeners.filter { $0 >= 0 }.forEach { close($0) }
            throw Refusal(words: "another process uses the name linkcond/\(device.taps[0].name) (unix socket)")
        }
        do {
            let inputs = try device.taps.map { tap in
                PumpInput(
                    try TapDevice(
                        name: tap.name,
                        mtu: min(Int(tap.mtu), TapDevice.largestMTU),
                        address: tap.address.flatMap(Self.bytes),
                        endsWithNetwork: endsWithNetwork
                    ),
                    tap.traffic
                )
            }
            let log = try log.map { try PacketLog(descriptor: $0, device: device.name, after: logs.first) }
            let pump = try PacketPump(inputs, conditions, configuration, log: log)
            if let log { logs.append(log) }
            return ServedDevice(
                listeners: listeners,
                traffic: device.taps.map(\.traffic),
                pump: pump,
                profile: profile,
                previous: profile
            )
        } catch {
            listeners.forEach { close($0) }
            throw error
        }
    }

    /// A pump that was killed may still be on its way out of the name.
    private static func listen(for tap: Tap) -> CInt {
        var listener = PumpChannel.listen(for: tap.name)
        for _ in 0..<50 where listener == -EADDRINUSE {
            usleep(20_000)
            listener = PumpChannel.listen(for: tap.name)
        }
        return listener
    }

    private mutating func answer(_ client: PumpChannel, at index: Int, _ tap: Int) {
        guard let request = client.receive().flatMap({ PumpRequest(json: $0) }) else { return }
        // What its asker has given up must not hold later.
        guard !client.isAbandoned else { return }
        let pump = served[index].pump
        switch request {
        case .start: break
        case .use(let profile): client.send(use(profile, at: index).json)
        case .revert: client.send(use(served[index].previous, at: index).json)
        case .report:
            pump.settle()
            let lanes = served[index].traffic[tap].lanes
            let held = lanes.reduce(0) { $0 + pump.counters.read()[$1].queued }
            client.send(PumpAnswer(profile: served[index].profile, held: held).json)
            client.send(descriptor: pump.counters.descriptor)
        }
    }

    private mutating func use(_ profile: Profile, at index: Int) -> PumpAnswer {
        do {
            served[index].pump.use(try conditions(profile))
        } catch {
            return PumpAnswer(refusal: error.words)
        }
        (served[index].previous, served[index].profile) = (served[index].profile, profile)
        return PumpAnswer()
    }

    private func conditions(_ profile: Profile) throws(Refusal) -> PumpConditions {
        // A recording's path is relative to a file that only whoever started the process can read.
        if let missing = profile.traceReferences.first(where: { recordings[$0] == nil }) {
            throw Refusal(words: "the recording \(missing.file) was not given when the conditions were first put on")
        }
        return PumpConditions(profile, traces: recordings)
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8]? {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(String(digits[$0...($0 + 1)]), radix: 16) ?? 0 }
    }
}
