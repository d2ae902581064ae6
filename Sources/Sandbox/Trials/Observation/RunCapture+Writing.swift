// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import Glibc
internal import PacketCapture
package import Sandboxing

extension RunCapture {
    /// Describes how to write a run's packets, on either engine, to a file that the user named, or that linkcond made.
    ///
    /// - Parameter snapLength: how many bytes of each packet are kept; nil for all, but on a fast link only for
    ///   headers.
    package init(path: String, snapLength: Int? = nil, isNamed: Bool = true) {
        // An empty value counts as unset, as TLS libraries treat it.
        let keyLog = getenv("SSLKEYLOGFILE").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        let key = CaptureDigest.makeKey()
        self.init(path: path, keyLog: keyLog, digestKey: key) { file, keyLog in
            let bound = CaptureBound(file, isNamed: isNamed)
            return { PumpCapture(descriptor: file, keyLog: keyLog, snapLength: snapLength, bound: bound, key: key) }
        } startLanes: { file, keyLog, interfaces in
            let capture = try LaneCaptureProcess.fork(
                writingTo: file,
                keyLog: keyLog,
                of: interfaces,
                snapLength: snapLength.map(UInt32.init)
            )
            return LaneRecorder(process: capture.process, caveat: LaneCaptureProcess.caveat) { capture.finish() }
        }
    }
}
