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
    private let pages: [CounterPage]

    /// Starts it in the network that this process is in, and has it make the TAP devices, a pump for each device.
    ///
    /// - Parameter log: where each packet's fate is written.
    static func fork(_ detours: [Detour], _ recordings: Recordings, log: CInt?) throws(SandboxError) -> PumpProcess {
        let (mine, theirs) = try PumpChannel.pair()
        let process = try Fork.helper(keeping: [theirs.descriptor] + [log].compactMap { $0 }) {
            lc_set_title("lc-pump", "lc-pump: carries the packets of a sandbox")
            PumpService(channel: theirs, recordings: recordings, log: log).run(detours)
        }
        theirs.close()
        var pages: [CounterPage] = []
        if let refusal = mine.receiveAnswer() { throw SandboxError(refusal) }
        for _ in detours {
            let descriptor = lc_receive_descriptor(mine.descriptor)
            guard descriptor >= 0, let page = CounterPage(descriptor: descriptor) else {
                throw SandboxError("the process that was to carry the conditions ended at once")
            }
            close(descriptor)
            pages.append(page)
        }
        return PumpProcess(process: process, channel: mine, pages: pages)
    }

    /// Has it use the conditions of `profile` from now on, in the place of those before.
    func use(_ profile: Profile) throws(ConditioningError) {
        channel.send(Array(profile.json.text.utf8))
        if let refusal = channel.receiveAnswer() { throw ConditioningError(.unsupported, refusal) }
    }

    /// What it has counted, by device.
    func counters() -> [CounterPage.Reading] { pages.map { $0.read() } }
}
