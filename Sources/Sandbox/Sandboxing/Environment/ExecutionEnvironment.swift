// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import ClientVerdicts
package import LinkConditioning
package import LinuxSystem

/// The description of a network for a command to run in.
package protocol ExecutionEnvironment {
    /// The network once it has been made.
    associatedtype Running: RunningEnvironment

    /// Makes the network, in the supervisor, for the command's user.
    mutating func setUp(for account: Account?) throws(SandboxError) -> Running

    /// Whether the network has its own addresses for this machine's name servers, which have to follow changes.
    var followsNameServers: Bool { get }

    /// A descendant of the supervisor that stays after a failed `setUp` to undo it; nil for none.
    var guardianPID: CInt? { get }

    /// Removes what is left of a supervisor that was killed, or whose `setUp` failed.
    func recover(from supervisor: CInt) throws(SandboxError)
}

/// The network that a command runs in. The supervisor, which made it, calls every method.
package protocol RunningEnvironment {
    /// Notes for the user from the making of the network.
    var notes: [ConditioningNote] { get }

    /// Variables for the command.
    var variables: [(name: String, value: String)] { get }

    /// Whether /proc/sys was made writable for the supervisor, and must be read-only for the command.
    var hasReadOnlySettings: Bool { get }

    /// Starts threads, after the command has started and the last fork.
    ///
    /// - Parameters:
    ///   - start: the time of the command's start.
    ///   - helper: a descendant of the supervisor that belongs neither to the command nor to this network.
    func serve(since start: Instant, besides helper: CInt?)

    /// Switches to the new lines of this machine's resolv.conf(5).
    func nameServersHaveChanged(_ lines: [String])

    /// The progress of the run; nil if the environment does not report it.
    var progress: RunProgress? { get }

    /// Handles the end of the command, whose remaining processes still run. Returns notes for the user.
    func commandHasEnded(_ end: CommandEnd) -> [String]

    /// Stops what `serve` started, before the command's processes are ended.
    func stopServing()

    /// The role of a descendant of the supervisor, such as the pump, for notes about it; nil for the command's
    /// processes.
    func role(of process: CInt) -> String?

    /// Handles that a descendant of the supervisor with a role has ended, was stopped, or has continued.
    func roleHasChanged(of process: CInt, _ status: ChildStatus)

    /// Keeps the files of the run so far, since the launcher was killed.
    func keepEvidence()

    /// The descendants of the supervisor that carry packets: without them, nothing that the command has sent arrives.
    var forwarders: Set<CInt> { get }

    /// Waits until the data that the command has sent has arrived. All processes of the command have ended before.
    ///
    /// - Parameter isInterrupted: returns whether the user wants to wait no longer.
    /// - Returns: a note about data that did not arrive; nil for none.
    func drain(_ isInterrupted: () -> Bool) -> String?

    /// A descendant of the supervisor that `tearDown` needs and that ends after it.
    var guardianPID: CInt? { get }

    /// Removes everything that does not end with the processes; returns notes for the user.
    func tearDown() throws(SandboxError) -> [String]
}
