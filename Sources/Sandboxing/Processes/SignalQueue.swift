// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// Signals read from a descriptor instead of interrupting: signalfd(2).
struct SignalQueue {
    /// Readable while a signal waits.
    let descriptor: CInt

    /// A signal that came.
    struct Arrival {
        let signal: CInt
        /// Whether the command has it by itself. The kernel sends a terminal's keys to all of the job, but the
        /// terminal's hang-up only to the leader of the session.
        let reachesJob: Bool
    }

    /// Holds `signals` back and queues them.
    init(_ signals: [CInt]) throws(SandboxError) {
        let set = SignalSet(signals)
        set.hold()
        var mask = set.mask
        descriptor = try checked(
            signalfd(-1, &mask, CInt(SFD_CLOEXEC | SFD_NONBLOCK)),
            "watch for signals"
        )
    }

    /// The next signal, without waiting for one.
    func next() -> Arrival? {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard read(descriptor, &info, size) == size else { return nil }
        let signal = CInt(info.ssi_signo)
        let isForOneProcess = info.ssi_code <= 0 || signal == SIGHUP && getsid(0) == getpid()
        return Arrival(signal: signal, reachesJob: !isForOneProcess)
    }
}
