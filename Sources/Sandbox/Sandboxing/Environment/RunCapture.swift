// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PacketPump

/// A capture of the packets of a sandbox, or of a conditioned interface, for as long as a command runs.
package struct RunCapture: Sendable {
    /// The path of the capture's file.
    package var path: String
    /// The path of the TLS key log that the command writes; nil for none.
    package var keyLog: String?
    /// Reads the facts of the open file, and returns a closure that makes the writer. The writer also reads the open
    /// key log. The closure is called where the system calls for these facts are no longer permitted.
    let prepare: Prepare
    /// Starts the process that writes the capture if the kernel carries the conditions. It runs in the network of the
    /// caller, which must have a single thread. `interfaces` are the indexes of the conditioned interfaces.
    let startLanes: StartLanes
    /// The key of the digest that shows whether the file is what was written.
    package let digestKey: UInt64

    package typealias Prepare = @Sendable (_ file: CInt, _ keyLog: CInt?) -> @Sendable () -> any PacketRecording
    package typealias StartLanes =
        @Sendable (_ file: CInt, _ keyLog: CInt?, _ interfaces: [Int32]) throws -> LaneRecorder

    /// A process that captures the packets that leave the kernel's lanes.
    package struct LaneRecorder: Sendable {
        let process: Int32
        /// The limits of the capture, for the user.
        let caveat: String
        /// Ends the process; returns the reason if not all packets were written, otherwise nil.
        let finish: @Sendable () -> String?

        package init(process: Int32, caveat: String, finish: @escaping @Sendable () -> String?) {
            (self.process, self.caveat, self.finish) = (process, caveat, finish)
        }
    }

    /// Describes a capture. Nothing is opened yet.
    package init(
        path: String,
        keyLog: String?,
        digestKey: UInt64,
        prepare: @escaping Prepare,
        startLanes: @escaping StartLanes
    ) {
        (self.path, self.keyLog, self.digestKey) = (path, keyLog, digestKey)
        (self.prepare, self.startLanes) = (prepare, startLanes)
    }

    /// Opens the files with the rights of the command's user.
    func open(for account: Account?) throws(SandboxError) -> PumpCaptureStart {
        let file = try OutputFile.capture.open(path, for: account)
        var keys: CInt?
        do {
            keys = try keyLog.map { path throws(SandboxError) in
                try OutputFile.keyLog.open(path, for: account)
            }
        } catch {
            close(file)
            throw error
        }
        return PumpCaptureStart(descriptors: [file] + [keys].compactMap { $0 }, begin: prepare(file, keys))
    }
}
