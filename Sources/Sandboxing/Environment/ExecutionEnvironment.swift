// SPDX-License-Identifier: Apache-2.0

public import ClientObservation

/// The description of a network for a command to run in.
public protocol ExecutionEnvironment {
    /// The network once it has been made.
    associatedtype Running: RunningEnvironment

    /// Makes the network, in the supervisor. Fails when `launcher` becomes readable, which means that the launcher has
    /// ended.
    ///
    /// - Returns: the network, and notes for the user.
    mutating func setUp(watching launcher: CInt) throws(SandboxError) -> (running: Running, notes: [String])

    /// A descendant of the supervisor that outlives a failed `setUp` to undo it; nil for none.
    var guardianPID: CInt? { get }

    /// Removes what a killed supervisor, or one whose `setUp` failed, left.
    mutating func recover(from supervisor: CInt) throws(SandboxError)
}

/// The network that a command runs in. The supervisor, which made it, calls every method.
public protocol RunningEnvironment {
    /// Variables for the command.
    var variables: [(name: String, value: String)] { get }

    /// Whether /proc/sys was made writable for the supervisor, and must be read-only for the command.
    var hasReadOnlySettings: Bool { get }

    /// Starts threads, after the command has started and the last fork.
    func serve()

    /// How far the run has come; nil if the environment does not tell.
    var progress: RunProgress? { get }

    /// The command has ended; the processes that it left still run.
    ///
    /// - Returns: notes for the user.
    func commandHasEnded(_ end: CommandEnd) -> [String]

    /// Stops what `serve` started, before the command's processes are ended.
    func stopServing()

    /// The role of a descendant of the supervisor, for a report of its early end; nil for the command's processes.
    func role(of process: CInt) -> String?

    /// A descendant of the supervisor that `tearDown` needs and that ends after it.
    var guardianPID: CInt? { get }

    /// Removes what does not end with the processes.
    ///
    /// - Returns: notes for the user.
    func tearDown() throws(SandboxError) -> [String]
}

/// A command, and the options of its run.
public struct WrappedCommand: Sendable {
    /// Program and arguments as bytes, since they need not be valid text.
    public var arguments: [[UInt8]]
    /// The user to run it as; nil keeps the current user.
    public var account: Account?
    /// The time limit; nil means none.
    public var timeout: Duration?
    /// Whether processes that it leaves running are kept.
    public var keepsChildren: Bool
    /// A monitor in the command's network; nil for none.
    package var monitor: MonitorTask?

    /// Makes a wrapped command.
    public init(
        arguments: [[UInt8]],
        account: Account? = nil,
        timeout: Duration? = nil,
        keepsChildren: Bool = false
    ) {
        self.arguments = arguments
        self.account = account
        self.timeout = timeout
        self.keepsChildren = keepsChildren
    }
}
