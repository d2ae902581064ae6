// SPDX-License-Identifier: Apache-2.0

/// The network that a command runs in. All of it is done by the supervisor's process, except for `recover`.
public protocol ExecutionEnvironment {
    /// Makes it; gives up when `launcher` becomes readable, since then nobody needs it any more.
    ///
    /// - Returns: what the user should know.
    mutating func setUp(watching launcher: CInt) throws(SandboxError) -> [String]

    /// Variables for the command.
    var environment: [(name: String, value: String)] { get }

    /// Starts what needs threads, after the command has been started and nothing is forked any more.
    mutating func serve()

    /// What a process below the supervisor is for, so that its end can be reported; nil for the command's own.
    func role(of process: CInt) -> String?

    /// A process below the supervisor that `tearDown` needs, and that ends by itself after it.
    var guardianPID: CInt? { get }

    /// Takes away what does not end with the processes.
    ///
    /// - Returns: what the user should know.
    mutating func tearDown() throws(SandboxError) -> [String]

    /// Takes away what a supervisor that was killed left, from the launcher's process.
    mutating func recover(from supervisor: CInt) throws(SandboxError)
}

/// A command, and how it is wrapped.
public struct Wrapping: Sendable {
    /// Program and arguments, in bytes: they need not be text.
    public var arguments: [[UInt8]]
    /// Whose process it shall be; nil leaves that as it is.
    public var account: Account?
    /// How long it may run; nil means for ever.
    public var timeout: Duration?
    /// Whether what it leaves running goes on.
    public var keepsChildren: Bool
    /// Arguments of this program for a run beside the command, in its network; its words are told at the end.
    public var monitor: [String]?

    /// Makes a wrapping.
    public init(
        arguments: [[UInt8]],
        account: Account? = nil,
        timeout: Duration? = nil,
        keepsChildren: Bool = false,
        monitor: [String]? = nil
    ) {
        self.arguments = arguments
        self.account = account
        self.timeout = timeout
        self.keepsChildren = keepsChildren
        self.monitor = monitor
    }
}
