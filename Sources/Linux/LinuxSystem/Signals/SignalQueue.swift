// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// Signals read from a descriptor instead of interrupting: signalfd(2).
package struct SignalQueue {
    /// Readable while a signal is pending.
    package let descriptor: CInt

    package struct Arrival {
        package let signal: CInt
        /// Whether the command receives the signal too. The kernel sends the signals of a terminal's keys to the whole
        /// job, but the terminal's hang-up only to the session leader.
        package let reachesJob: Bool
    }

    /// Blocks `signals` and queues them from now on.
    package init(_ signals: [CInt]) throws(SystemError) {
        let set = SignalSet(signals)
        set.block()
        var mask = set.mask
        descriptor = try checked(signalfd(-1, &mask, CInt(SFD_CLOEXEC | SFD_NONBLOCK)), "watch for signals")
    }

    /// Reads the next pending signal, without waiting; nil if there is none.
    package func next() -> Arrival? {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard read(descriptor, &info, size) == size else { return nil }
        let signal = CInt(info.ssi_signo)
        let isForOneProcess = info.ssi_code <= 0 || signal == SIGHUP && getsid(0) == getpid()
        return Arrival(signal: signal, reachesJob: !isForOneProcess)
    }
}
