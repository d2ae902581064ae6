// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// Carries the frames of TAP devices through the lanes of a link, and writes back what survives when it is due: one
/// thread, which sleeps while nothing is due.
public final class PacketPump: Sendable {
    private let mailbox: PumpMailbox
    private let page: CounterPage

    /// Starts a pump.
    ///
    /// - Parameters:
    ///   - inputs: the devices it serves, whose descriptors it keeps open.
    ///   - log: gets a line for every packet.
    public init(
        _ inputs: [PumpInput],
        _ conditions: PumpConditions,
        _ configuration: PumpConfiguration = PumpConfiguration(),
        log: PacketLog? = nil
    ) throws(PumpError) {
        guard let mailbox = PumpMailbox(), let page = CounterPage() else { throw .descriptors(24) }
        let loop = LoopBox(try PumpLoop(inputs, configuration, mailbox, page, log))
        loop.use(conditions)
        // Last: an object that is whole is stopped when its making fails.
        self.mailbox = mailbox
        self.page = page
        startThread {
            // The devices end with their last reference, and they must not end before the loop.
            withExtendedLifetime(inputs) { loop.run() }
            mailbox.end()
        }
    }

    deinit { stop() }

    /// What has come through so far; also for other processes, by its descriptor.
    public var counters: CounterPage { page }

    /// Puts other conditions in the place of the present ones. Packets that are inside leave as they were promised, and
    /// those that come after this returns never wait behind them.
    public func use(_ conditions: PumpConditions) {
        mailbox.send { $0.conditions = conditions }
    }

    /// Ends the pump; packets inside are dropped, and counted. To lose none, undo the redirection first and wait until
    /// none is queued.
    public func stop() {
        mailbox.send { $0.isStopping = true }
        mailbox.awaitEnd()
    }
}

/// Carries the loop to its thread.
private final class LoopBox: @unchecked Sendable {
    private var loop: PumpLoop

    init(_ loop: consuming PumpLoop) { self.loop = loop }

    func use(_ conditions: PumpConditions) { loop.use(conditions) }
    func run() { loop.run() }
}
