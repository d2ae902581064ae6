// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Synchronization

/// Commands from other threads to the pump's thread.
final class PumpCommands: Sendable {
    struct Contents: Sendable {
        var pipelines: PreparedPipelines?
        /// The name of the profile of `pipelines`.
        var profileName: String?
        /// Whether to drop the packets that earlier pipelines hold, after `pipelines` have taken effect.
        var isDropping = false
        /// The state of the network from now on.
        var network: NetworkState?
        /// The recorder of packets from now on.
        var recorder: PacketRecorder?
        /// The recorder of headers for the account of flows from now on; the inner nil to record none.
        var account: PacketRecorder??
        var isStopping = false
        /// The completions of commands that are complete as soon as they have been carried out.
        var completions: [Completion] = []
        /// The completions of commands that wait until the pump has read all pending frames.
        var settlings: [Completion] = []
    }

    /// The completion of a command, for which the command's sender waits.
    final class Completion: Sendable {
        private let isDone = Atomic(false)

        func finish() { isDone.store(true, ordering: .releasing) }
        fileprivate var isFinished: Bool { isDone.load(ordering: .acquiring) }
    }

    private let mailbox: Mailbox<Contents>
    private let endEvent: EventFD

    /// - Throws: the reason why the kernel refuses a descriptor.
    init() throws(SystemError) {
        mailbox = try Mailbox(Contents())
        endEvent = try EventFD()
    }

    /// Readable while there are commands.
    var wakeup: Int32 { mailbox.wakeup.descriptor }
    /// Readable when the pump has ended.
    var ending: Int32 { endEvent.descriptor }

    /// Sends a command, and waits until the pump has carried it out or has ended.
    func send(_ change: (inout Contents) -> Void) {
        send { contents, completion in
            change(&contents)
            contents.completions.append(completion)
        }
    }

    /// Waits until the pump has read the frames that its devices hold at the time of the call, or has ended.
    func settle() {
        send { $0.settlings.append($1) }
    }

    private func send(_ change: (inout Contents, Completion) -> Void) {
        let completion = Completion()
        guard mailbox.send({ change(&$0, completion) }) else { return }
        while !completion.isFinished, !mailbox.isClosed { usleep(100) }
    }

    /// Waits until the pump has ended.
    func awaitEnd() {
        while !mailbox.isClosed { usleep(100) }
    }

    /// Returns the commands that were sent; only for the pump's thread, which completes them after carrying them out.
    func receive() -> Contents {
        var contents = Contents()
        mailbox.dequeue(into: &contents)
        return contents
    }

    /// Completes all commands, present and later ones: the pump has ended.
    func end() {
        mailbox.close()
        endEvent.signal()
    }
}
