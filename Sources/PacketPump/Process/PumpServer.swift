// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinkProfiles
internal import LinuxSystem
internal import TrafficControl

/// Runs pumps for devices in this process, and answers requests at their sockets.
package struct PumpServer {
    /// The recordings that profiles may name.
    package let recordings: Recordings
    /// The descriptor of the packet log.
    package let log: CInt?
    /// net.ipv4.ip_local_port_range of the network namespace.
    package let ephemeralPorts: ClosedRange<UInt16>
    /// Whether the TAP devices are persistent and end with their network namespace. Deleting one takes 30 ms.
    package let endsWithNetwork: Bool

    private var served: [ServedDevice] = []
    private var logs: [PacketLog] = []

    package init(recordings: Recordings, log: CInt?, ephemeralPorts: ClosedRange<UInt16>, endsWithNetwork: Bool) {
        self.recordings = recordings
        self.log = log
        self.ephemeralPorts = ephemeralPorts
        self.endsWithNetwork = endsWithNetwork
    }

    /// Readable when `answerClients` has something to do.
    package var descriptors: [CInt] { served.flatMap { $0.listeners + [$0.pump.ending] } }

    /// Whether all devices are gone.
    package var isDone: Bool { served.isEmpty }

    /// Answers requests at the sockets, and removes pumps whose devices are gone.
    package mutating func answerClients() {
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

    /// Handles a `start` request of the parent process; nil if the parent is gone or the request is another one.
    package mutating func handleRequest(_ channel: PumpChannel) -> Void? {
        guard let request = channel.receive().flatMap({ PumpRequest(json: $0) }),
            case .start(let devices, let profile) = request
        else { return nil }
        channel.send(start(devices, profile).json)
        return ()
    }

    /// Makes TAP devices and starts pumps on them.
    package mutating func start(_ devices: [PumpedDevice], _ profile: Profile) -> PumpAnswer {
        // The names of deleted devices may be needed again.
        answerClients()
        do {
            let conditions = try conditions(profile)
            for device in devices { served.append(try serve(device, profile, conditions)) }
            return PumpAnswer()
        } catch let refusal as Refusal {
            return PumpAnswer(refusal: refusal.reason)
        } catch {
            return PumpAnswer(refusal: "cannot carry packets in userspace: \(error)")
        }
    }

    /// Stops all pumps; the packets that they hold are dropped.
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
        package let reason: String
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
            throw Refusal(reason: "another process uses the unix socket @linkcond/\(device.taps[0].name)")
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

    /// Waits up to a second for a killed pump to release the name.
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
        // A request whose client has timed out must not take effect later.
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
            return PumpAnswer(refusal: error.reason)
        }
        (served[index].previous, served[index].profile) = (served[index].profile, profile)
        return PumpAnswer()
    }

    private func conditions(_ profile: Profile) throws(Refusal) -> PumpConditions {
        // Recordings are read only when the process starts: their paths are relative to a file that it may not access.
        if let missing = profile.traceReferences.first(where: { recordings[$0] == nil }) {
            throw Refusal(reason: "the recording \(missing.file) was not part of the first conditions")
        }
        return PumpConditions(profile, traces: recordings)
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8]? {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(String(digits[$0...($0 + 1)]), radix: 16) ?? 0 }
    }
}
