// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinkProfiles
package import LinuxSystem
package import TrafficControl

/// A process that runs the pumps of a sandbox. It ends with the process that started it.
package struct PumpProcess {
    /// The process ID.
    package let process: Int32
    private let channel: PumpChannel

    /// Starts it in the current network namespace. The caller must have a single thread. The TAP devices are made with
    /// the first conditions, so a sandbox without conditions does not need any.
    ///
    /// - Parameters:
    ///   - recordings: the recordings that profiles may name.
    ///   - ephemeralPorts: net.ipv4.ip_local_port_range of the network namespace.
    ///   - log: the descriptor of the packet log.
    package static func fork(_ recordings: Recordings, ephemeralPorts: ClosedRange<UInt16>, log: CInt?)
        throws(SystemError) -> PumpProcess
    {
        guard let (mine, theirs) = PumpChannel.pair() else {
            throw SystemError(operation: "make a socket pair", code: errno)
        }
        let process = try Fork.helper(keeping: [theirs.descriptor] + [log].compactMap { $0 }) {
            lc_set_title("lc-pump", "lc-pump: carries the packets of a sandbox")
            serve(theirs, recordings: recordings, ephemeralPorts: ephemeralPorts, log: log)
        }
        theirs.close()
        return PumpProcess(process: process, channel: mine)
    }

    /// Makes TAP devices and starts a pump on them with the conditions of `profile`.
    package func start(_ devices: [PumpedDevice], _ profile: Profile) throws(ConditioningError) {
        channel.send(PumpRequest.start(devices, profile).json)
        guard let answer = channel.receive().flatMap({ PumpAnswer(json: $0) }) else {
            throw ConditioningError(.unsupported, "the process that was to carry the conditions has ended")
        }
        if let refusal = answer.refusal { throw ConditioningError(.unsupported, refusal) }
    }

    private static func serve(
        _ channel: PumpChannel,
        recordings: Recordings,
        ephemeralPorts: ClosedRange<UInt16>,
        log: CInt?
    ) -> Never {
        guard let signals = try? SignalQueue([SIGTERM]) else { _exit(1) }
        var service = PumpServer(
            recordings: recordings,
            log: log,
            ephemeralPorts: ephemeralPorts,
            endsWithNetwork: true
        )
        while true {
            Wait.untilReadable([channel.descriptor, signals.descriptor] + service.descriptors)
            guard signals.next() == nil else { break }
            if Wait.isReadable(channel.descriptor), service.handleRequest(channel) == nil { break }
            service.answerClients()
        }
        service.stop()
        _exit(0)
    }
}
