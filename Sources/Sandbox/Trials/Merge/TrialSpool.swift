// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
internal import Glibc
internal import LinkProfiles
internal import LinuxSystem
internal import Reports

/// The runs of all shards in a temporary file, since they may be too many for the memory. The sequence gives them in
/// the order of the list.
final class TrialSpool: Sequence {
    /// The position of a run's texts in the file.
    private struct Position {
        let offset: Int
        let summaryLength: Int
        let suiteLength: Int
        let counts: [Int]
        /// The number of the shard.
        let shard: Int
    }

    private let file: CInt
    private var end = 0
    private var positions: [Position?]

    /// A spool for a list of `count` runs.
    init(count: Int) throws {
        file = try ObservationFiles.temporary()
        positions = Array(repeating: nil, count: count)
    }

    deinit { close(file) }

    /// Adds a run; returns the number of another shard that has it as well, or nil.
    func add(_ trial: TrialsReport.Trial, of shard: Int, strict isStrict: Bool) throws(SystemError) -> Int? {
        if let other = positions[trial.index] { return other.shard }
        let text = TrialText(trial, strict: isStrict)
        let bytes = [text.summary, text.suite].map { Array($0.utf8) }
        for part in bytes {
            if let code = Descriptors.write(part[...], to: file) {
                throw SystemError(operation: "keep the runs of the shards in a temporary file", code: code)
            }
        }
        positions[trial.index] = Position(
            offset: end,
            summaryLength: bytes[0].count,
            suiteLength: bytes[1].count,
            counts: text.counts,
            shard: shard
        )
        end += bytes[0].count + bytes[1].count
        return nil
    }

    /// The indices of the runs that are not there.
    var missing: [Int] { positions.indices.filter { positions[$0] == nil } }

    /// The run with this index, and the number of its shard; nil if it is not there. Throws if it cannot be read back: a
    /// run must not be lost without a word.
    func trial(_ index: Int) throws(SystemError) -> (trial: TrialsReport.Trial, shard: Int)? {
        guard let position = positions[index] else { return nil }
        guard let json = try? JSON(utf8: read(position.offset, position.summaryLength)),
            let trial = TrialsReport.Trial(json: json, log: TrialFiles.logName)
        else { throw SystemError(operation: "read a run from a temporary file", code: EIO) }
        return (trial, position.shard)
    }

    func makeIterator() -> AnyIterator<TrialText> {
        var rest = positions[...]
        return AnyIterator { [self] in
            while let next = rest.popFirst() {
                guard let next else { continue }
                let suite = read(next.offset + next.summaryLength, next.suiteLength)
                return TrialText(
                    summary: String(decoding: read(next.offset, next.summaryLength), as: UTF8.self),
                    suite: String(decoding: suite, as: UTF8.self),
                    counts: next.counts
                )
            }
            return nil
        }
    }

    private func read(_ offset: Int, _ length: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: length)
        var done = 0
        while done < length {
            let count = bytes.withUnsafeMutableBytes { buffer in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                return pread(file, rest.baseAddress, rest.count, offset + done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            done += count
        }
        return bytes
    }
}
