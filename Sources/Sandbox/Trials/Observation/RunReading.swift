// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import ClientTraffic
internal import ClientVerdicts
internal import DecryptedStreams
internal import LinuxSystem
internal import Sandboxing

/// The packets and events of a run that have been read so far. Both files may still grow.
struct RunReading {
    private let files: ObservationFiles
    private let started: Instant
    private let memory: Int
    private var captureOffset = 0
    private var eventsOffset = 0
    private var capture = CaptureReader()
    private var digest: CaptureDigest
    private var traffic: TrafficReader
    private var events: RunRecordReader
    /// Whether the capture is damaged: the rest is not parsed.
    private var isDamaged = false
    private let hosts = HostNames((try? SmallFile.read(HostNames.path, followsLinks: true)) ?? [])

    /// Reads nothing yet.
    ///
    /// - Parameter memory: the most bytes of memory for the client's traffic.
    init(_ files: ObservationFiles, started: Instant, memory: Int) {
        (self.files, self.started, self.memory) = (files, started, memory)
        digest = CaptureDigest(key: files.writer.digestKey)
        traffic = TrafficReader(decoders: CaptureDecoders(), memory: memory)
        events = RunRecordReader(started: started, ended: started, outcome: .exited(0))
    }

    /// A new reading of the same files from the start. On a full disk, the last bytes that were read may have been cut
    /// off since.
    func anew() -> RunReading { RunReading(files, started: started, memory: memory) }

    /// Reads the bytes that the files have got since the last call.
    ///
    /// - Parameter isEnough: returns whether to stop; called after each piece of the capture.
    /// - Returns: whether everything was read.
    @discardableResult
    mutating func advance(until isEnough: () -> Bool = { false }) -> Bool {
        var isWhole = true
        // A copy, since the closure has exclusive access to this value.
        var offset = captureOffset
        Descriptors.read(files.capture, from: &offset) { piece in
            add(piece)
            isWhole = !isEnough()
            return isWhole
        }
        captureOffset = offset
        offset = eventsOffset
        // Events are read after the packets, so that the packets that an event refers to are there.
        Descriptors.read(files.events, from: &offset) { piece in
            events.append(piece)
            return true
        }
        eventsOffset = offset
        return isWhole
    }

    /// Whether the bytes that were read of the capture are the bytes that were written to it.
    func isAsWritten(_ record: RunRecord) -> Bool { record.capture == digest.value }

    private mutating func add(_ piece: ArraySlice<UInt8>) {
        digest.add(piece)
        guard !isDamaged else { return }
        capture.append(piece)
        do {
            while let record = try capture.next() { traffic.add(record) }
        } catch {
            isDamaged = true
        }
    }

    /// The traffic and record of a run that ended with `outcome`; at the time `ended`, unless an event has another.
    func result(ended: Instant, outcome: CommandEnd) -> (traffic: ClientTraffic.ObservedTraffic, record: RunRecord) {
        var record = events.record(ended: ended, outcome: outcome)
        if isDamaged { record.shortfall = record.shortfall ?? .damaged }
        record.hosts = hosts
        return (traffic.read(), record)
    }
}
