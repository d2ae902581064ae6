// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
package import ClientObservation
import Glibc
internal import LinkProfiles
internal import LinuxSystem

/// A part of the run of this sandbox, and what its packets say.
package struct ObservedPart {
    private let judge: Judge
    /// The first moment of the part.
    package let begin: Instant

    /// How long a packet takes to the capture, after it was delivered.
    private static let lag = Duration.milliseconds(200)
    /// How long to wait for packets on a slow link.
    private static let patience = Duration.seconds(10)

    /// Where a part begins.
    package enum Begin: Hashable, Sendable {
        /// With the command.
        case run
        case time(Instant)
        /// When the mark or the step of this name began; the last of them if there were several.
        case label(String)
    }

    /// Why there is no such part.
    package struct NoBegin: Error {
        /// The mark or step that never began.
        package let label: String
    }

    /// The part began before the run was observed.
    package struct NotObserved: Error {}

    /// Fetches what the sandbox has observed, as soon as the link has delivered what the client has sent.
    ///
    /// The connections that are open at the end are those of the caller's network, now.
    ///
    /// - Parameter decoders: what opens TLS whose keys are in the capture, and reads HTTP/2; nil to read neither.
    package init(
        of client: ControlClient,
        from start: Begin,
        to end: Instant,
        decoders: (any StreamDecoders)? = nil
    ) throws {
        let open = OpenSockets.current()
        let held = try Self.awaitDelivery(client)
        let (capture, events) = try client.observation()
        var record = RunRecord(events: events, started: end, ended: end, outcome: .exited(0))
        switch start {
        case .run: begin = record.begin
        case .time(let time): begin = time
        case .label(let name):
            guard let label = record.labels.last(where: { $0.name == name }) else { throw NoBegin(label: name) }
            begin = label.begin
        }
        if let since = record.observedSince, begin < since { throw NotObserved() }
        record.limit(to: begin, end)
        record.openAtEnd = open
        let traffic = try Self.traffic(capture, decoders)
        // What was seen before a packet that the capture has is in it, too.
        if held > 0, traffic.link.latest ?? end <= end { record.packetsOnTheLink = held }
        record.hosts = HostNames((try? SmallFile.read(HostNames.path, followsLinks: true)) ?? [])
        judge = Judge(ClientTraffic(traffic, of: record), record)
    }

    /// Waits until no packet is on the link, or for ``patience``, and then until the capture has what was delivered; returns
    /// the number of packets that the link still holds.
    private static func awaitDelivery(_ client: ControlClient) throws -> Int {
        let deadline = ContinuousClock.now + patience
        var held = try client.heldPackets()
        while held > 0, ContinuousClock.now < deadline {
            usleep(20_000)
            held = try client.heldPackets()
        }
        usleep(UInt32(lag / .microseconds(1)))
        return held
    }

    /// The verdict on each expectation.
    package func judge(_ expectations: [ClientExpectation]) -> [Judgement] { expectations.map { judge.judge($0) } }

    private static func traffic(_ capture: [UInt8], _ decoders: (any StreamDecoders)?) throws -> Traffic {
        var reader = CaptureReader()
        var traffic = TrafficReader(decoders: decoders)
        reader.append(capture)
        while let record = try reader.next() { traffic.add(record) }
        return traffic.read()
    }
}
