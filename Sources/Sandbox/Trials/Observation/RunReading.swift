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
    /// Whether the capture is damaged: what follows is not read.
    private var isDamaged = false
    private let hosts = HostNames((try? SmallFile.read(HostNames.path, followsLinks: true)) ?? [])

    /// Reads nothing yet.
    ///
    /// - Parameter memory: the bytes for what the client did.
    init(_ files: ObservationFiles, started: Instant, memory: Int) {
        (self.files, self.started, self.memory) = (files, started, memory)
        digest = CaptureDigest(key: files.writer.digestKey)
        traffic = TrafficReader(decoders: CaptureDecoders(), memory: memory)
        events = RunRecordReader(started: started, ended: started, outcome: .exited(0))
    }

    /// A reading of the same files from the start. On a full disk, the last bytes read may have been cut off since.
    func anew() -> RunReading { RunReading(files, started: started, memory: memory) }

    /// Reads what the files have by now.
    ///
    /// - Parameter isEnough: whether to stop, asked after each piece of the capture.
    /// - Returns: whether everything was read.
    @discardableResult
    mutating func advance(until isEnough: () -> Bool = { false }) -> Bool {
        var isWhole = true
        // A copy: the closure has the rest of this value.
        var offset = captureOffset
        Descriptors.read(files.capture, from: &offset) { piece in
            add(piece)
            isWhole = !isEnough()
            return isWhole
        }
        captureOffset = offset
        offset = eventsOffset
        // After the packets: what an event says of them is there by then.
        Descriptors.read(files.events, from: &offset) { piece in
            events.append(piece)
            return true
        }
        eventsOffset = offset
        return isWhole
    }

    /// Whether what was read of the capture is what was written to it.
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

    /// The traffic and record of a run that ended so, at this time unless an event says otherwise.
    func result(ended: Instant, outcome: CommandEnd) -> (traffic: ClientTraffic.ObservedTraffic, record: RunRecord) {
        var record = events.record(ended: ended, outcome: outcome)
        if isDamaged { record.shortfall = record.shortfall ?? .damaged }
        record.hosts = hosts
        return (traffic.read(), record)
    }
}
