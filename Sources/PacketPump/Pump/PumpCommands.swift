// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Synchronization

/// Commands from other threads to the pump's thread.
final class PumpCommands: Sendable {
    struct Contents: Sendable {
        var pipelines: PreparedPipelines?
        /// Where to record packets from now on.
        var recorder: PacketRecorder?
        var isStopping = false
        /// Whether a thread waits until the pump has read all pending frames.
        var isSettling = false
        fileprivate var completions: [Completion] = []

        /// Lets the senders continue.
        func complete() { completions.forEach { $0.finish() } }
    }

    /// Whether the pump has carried out a command.
    fileprivate final class Completion: Sendable {
        private let isDone = Atomic(false)

        func finish() { isDone.store(true, ordering: .releasing) }
        var isFinished: Bool { isDone.load(ordering: .acquiring) }
    }

    private let mailbox: Mailbox<Contents>
    private let endEvent: EventFD
    /// The commands that wait until all frames have been read.
    private let settling = Mutex<[Completion]>([])

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
        let completion = Completion()
        let isOpen = mailbox.send { contents in
            change(&contents)
            contents.completions.append(completion)
        }
        guard isOpen else { return }
        while !completion.isFinished, !mailbox.isClosed { usleep(100) }
    }

    /// Waits until the pump has ended.
    func awaitEnd() {
        while !mailbox.isClosed { usleep(100) }
    }

    /// Returns the commands that were sent; only for the pump's thread, which completes them after carrying them out.
    func take() -> Contents {
        var contents = Contents()
        mailbox.take(&contents)
        if contents.isSettling { settling.withLock { $0 += contents.completions } }
        return contents
    }

    /// Completes the commands that wait until all frames have been read.
    func settle() {
        settling.withLock { waiting in
            waiting.forEach { $0.finish() }
            waiting = []
        }
    }

    /// Completes all commands, present and later ones: the pump has ended.
    func end() {
        mailbox.close()
        endEvent.signal()
    }
}
