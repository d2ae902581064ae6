// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PacketCapture
internal import Sandboxing

extension RunCapture {
    /// How to write the packets of a run, on either engine.
    ///
    /// - Parameter isNamed: whether the user named the file.
    init(_ plan: CapturePlan, isNamed: Bool = true) {
        // Without a name, as TLS libraries take it.
        let keyLog = getenv("SSLKEYLOGFILE").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        self.init(path: plan.path, keyLog: keyLog) { file, keyLog in
            var options = PumpCapture.Options()
            options.snapLength = plan.snapLength
            options.bound = CaptureBound(file, isNamed: isNamed)
            return { [options] in PumpCapture(descriptor: file, keyLog: keyLog, options) }
        } startLanes: { file, keyLog, interfaces in
            let capture = try LaneCaptureProcess.fork(
                writingTo: file,
                keyLog: keyLog,
                of: interfaces,
                snapLength: plan.snapLength.map(UInt32.init)
            )
            return LaneRecorder(
                process: capture.process,
                caveat: LaneCaptureProcess.caveat,
                finish: { capture.finish() }
            )
        }
    }
}
