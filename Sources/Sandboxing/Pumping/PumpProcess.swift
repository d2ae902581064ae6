// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkConditioning
public import LinkProfiles
internal import PacketPump

/// The recordings that a profile names, read.
public typealias Recordings = [TraceReference: Trace]

/// The process that carries a sandbox's packets through their lanes. It ends with its keeper.
struct PumpProcess {
    /// The process.
    let process: pid_t
    private let channel: PumpChannel
    private let count: Int
    private var pages: [CounterPage] = []

    /// Starts it in the network that this process is in. It waits for the first conditions, and makes the TAP devices
    /// then, a pump for each device: a sandbox that never has any does not pay for them.
    ///
    /// - Parameter log: where each packet's fate is written.
    static func fork(_ detours: [Detour], _ recordings: Recordings, log: CInt?) throws(SandboxError) -> PumpProcess {
        let (mine, theirs) = try PumpChannel.pair()
        let process = try Fork.helper(keeping: [theirs.descriptor] + [log].compactMap { $0 }) {
            lc_set_title("lc-pump", "lc-pump: carries the packets of a sandbox")
            PumpService(channel: theirs, recordings: recordings, log: log).run(detours)
        }
        theirs.close()
        return PumpProcess(process: process, channel: mine, count: detours.count)
    }

    /// Has it use the conditions of `profile` from now on, in the place of those before.
    mutating func use(_ profile: Profile) throws(ConditioningError) {
        channel.send(Array(profile.json.text.utf8))
        if let refusal = channel.receiveAnswer() { throw ConditioningError(.unsupported, refusal) }
        while pages.count < count {
            let descriptor = lc_receive_descriptor(channel.descriptor)
            guard descriptor >= 0, let page = CounterPage(descriptor: descriptor) else {
                throw ConditioningError(.unsupported, "the process that was to carry the conditions ended at once")
            }
            close(descriptor)
            pages.append(page)
        }
    }

    /// What it has counted, by device.
    func counters() -> [CounterPage.Reading] { pages.map { $0.read() } }
}
