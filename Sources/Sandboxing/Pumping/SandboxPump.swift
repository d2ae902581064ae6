// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkConditioning
public import LinkProfiles
internal import LinuxSystem

/// The recordings that a profile names, read.
public typealias Recordings = [TraceReference: Trace]

/// The process that carries a sandbox's packets through their lanes. It ends with its keeper.
struct SandboxPump {
    /// The process.
    let process: pid_t
    private let channel: PumpChannel

    /// Starts it in the network that this process is in. It makes the TAP devices with the first conditions: a sandbox
    /// that never has any does not pay for them. The caller has to have one thread.
    ///
    /// - Parameter log: where each packet's fate is written.
    static func fork(_ recordings: Recordings, log: CInt?) throws(SandboxError) -> SandboxPump {
        guard let (mine, theirs) = PumpChannel.pair() else { throw SandboxError("make a socket pair", code: errno) }
        let process = try onSystem { () throws(SystemError) in
            try Fork.helper(keeping: [theirs.descriptor] + [log].compactMap { $0 }) {
                lc_set_title("lc-pump", "lc-pump: carries the packets of a sandbox")
                serve(theirs, recordings, log)
            }
        }
        theirs.close()
        return SandboxPump(process: process, channel: mine)
    }

    /// Has it make TAP devices, and begin with the conditions of `profile` on them.
    func start(_ devices: [PumpedDevice], _ profile: Profile) throws(ConditioningError) {
        channel.send(PumpRequest.start(devices, profile).json)
        guard let answer = channel.receive().flatMap({ PumpAnswer(json: $0) }) else {
            throw ConditioningError(.unsupported, "the process that was to carry the conditions is gone")
        }
        if let refusal = answer.refusal { throw ConditioningError(.unsupported, refusal) }
    }

    private static func serve(_ channel: PumpChannel, _ recordings: Recordings, _ log: CInt?) -> Never {
        guard let signals = try? SignalQueue([SIGTERM]) else { _exit(1) }
        var service = PumpService(
            recordings: recordings,
            log: log,
            ephemeralPorts: NetworkSettings.ephemeralPorts,
            endsWithNetwork: true
        )
        while true {
            Wait.untilReadable([channel.descriptor, signals.descriptor] + service.descriptors)
            guard signals.next() == nil else { break }
            if Wait.isReadable(channel.descriptor), service.obey(channel) == nil { break }
            service.tend()
        }
        service.stop()
        _exit(0)
    }
}
