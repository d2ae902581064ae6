// SPDX-License-Identifier: Apache-2.0

package import ClientVerdicts
package import LinkConditioning
package import LinuxSystem

/// The description of a network for a command to run in.
package protocol ExecutionEnvironment {
    /// The network once it has been made.
    associatedtype Running: RunningEnvironment

    /// Makes the network, in the supervisor, for the command's user.
    mutating func setUp(for account: Account?) throws(SandboxError) -> Running

    /// Whether the network has name servers of its own, which stand for this machine's.
    var followsNameServers: Bool { get }

    /// A descendant of the supervisor that outlives a failed `setUp` to undo it; nil for none.
    var guardianPID: CInt? { get }

    /// Removes what a killed supervisor, or one whose `setUp` failed, left.
    func recover(from supervisor: CInt) throws(SandboxError)
}

/// The network that a command runs in. The supervisor, which made it, calls every method.
package protocol RunningEnvironment {
    /// Notes for the user about how it was made.
    var notes: [ConditioningNote] { get }

    /// Variables for the command.
    var variables: [(name: String, value: String)] { get }

    /// Whether /proc/sys was made writable for the supervisor, and must be read-only for the command.
    var hasReadOnlySettings: Bool { get }

    /// Starts threads, after the command has started and the last fork.
    ///
    /// - Parameter helper: a descendant of the supervisor that is none of the command's, and none of this network's.
    func serve(besides helper: CInt?)

    /// Uses these lines, which this machine's resolv.conf(5) has now.
    func nameServersHaveChanged(_ lines: [String])

    /// The progress of the run; nil if the environment does not tell.
    var progress: RunProgress? { get }

    /// The command has ended; the processes that it left still run. Returns notes for the user.
    func commandHasEnded(_ end: CommandEnd) -> [String]

    /// Stops what `serve` started, before the command's processes are ended.
    func stopServing()

    /// The role of a descendant of the supervisor, for a report of its early end; nil for the command's processes.
    func role(of process: CInt) -> String?

    /// A descendant of the supervisor that has a role has ended, was stopped, or goes on.
    func roleHasChanged(of process: CInt, _ status: ChildStatus)

    /// The launcher was killed: what the run has left so far is kept.
    func keepEvidence()

    /// The descendants of the supervisor without which nothing that the command has sent arrives.
    var carriers: Set<CInt> { get }

    /// Waits until what the command has sent has arrived. No process of the command's is left.
    ///
    /// - Parameter isInterrupted: whether the user waits no longer.
    /// - Returns: a note about what was given up.
    func drain(_ isInterrupted: () -> Bool) -> String?

    /// A descendant of the supervisor that `tearDown` needs and that ends after it.
    var guardianPID: CInt? { get }

    /// Removes what does not end with the processes; returns notes for the user.
    func tearDown() throws(SandboxError) -> [String]
}
