// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
import Glibc
package import LinuxSystem

/// The file of a capture, or with a rotation, the sequence of its files.
package final class CaptureFiles {
    /// When to start a new file, and how many files to keep.
    package struct Rotation: Sendable {
        /// The size of a file in bytes; nil for no limit.
        package var size: UInt64?
        /// The time that a file covers; nil for no limit.
        package var time: Duration?
        /// The number of files to keep, the latest ones; nil to keep all.
        package var kept: Int?

        package init() {}

        var isOn: Bool { size != nil || time != nil }
    }

    private let path: String
    private let rotation: Rotation
    private var output: CaptureOutput
    private var names: [String] = []
    private var count = 0
    private var written: UInt64 = 0
    private var start = RealClock.now

    /// Creates the first file.
    ///
    /// - Parameter path: the file's name; with a rotation, files are numbered before the last dot: `name.00001.pcapng`.
    package init(path: String, _ rotation: Rotation = Rotation()) throws(SystemError) {
        self.path = path
        self.rotation = rotation
        count = 1
        names = [rotation.isOn ? Self.name(path, 1) : path]
        output = try CaptureOutput(path: names[0])
    }

    /// Writes to an open descriptor.
    ///
    /// - Parameter bound: the largest size of a regular file; nil for the file system's limit.
    package init(descriptor: Int32, bound: CaptureBound? = nil) {
        path = "-"
        rotation = Rotation()
        output = CaptureOutput(descriptor: descriptor, bound: bound)
    }

    /// An encoder that holds the start of a file.
    static func encoder(comments: [String] = []) -> PcapngEncoder {
        PcapngEncoder(application: "linkcond", system: "Linux \(KernelVersion.release)", comments: comments)
    }

    func write(_ encoder: inout PcapngEncoder, stop: Int32? = nil) throws(CaptureOutput.Failure) {
        let size = encoder.bytes.count
        try output.write(&encoder, stop: stop)
        written += UInt64(size)
    }

    /// Removes the file's bound, for a few blocks at the file's end.
    func liftBound() { output.liftBound() }

    /// Whether it is time for the next file.
    func isDue(now: Int64) -> Bool {
        if let size = rotation.size, written >= size { return true }
        return rotation.time.map { Duration.nanoseconds(now - start) >= $0 } ?? false
    }

    /// Begins the next file, and deletes the oldest if there are too many.
    func next() throws(SystemError) {
        count += 1
        let name = Self.name(path, count)
        output = try CaptureOutput(path: name)
        names.append(name)
        if let kept = rotation.kept, names.count > kept { unlink(names.removeFirst()) }
        written = 0
        start = RealClock.now
    }

    private static func name(_ path: String, _ number: Int) -> String {
        let digits = String(number)
        let padded = String(repeating: "0", count: max(0, 5 - digits.count)) + digits
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        guard let dot = path.lastIndex(of: "."), dot > slash else { return "\(path).\(padded)" }
        return "\(path[..<dot]).\(padded)\(path[dot...])"
    }
}
