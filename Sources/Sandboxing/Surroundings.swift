// SPDX-License-Identifier: Apache-2.0

/// What a command is wrapped in. All of it happens in the keeper's process, but for `forsake`.
public protocol Surroundings {
    /// Makes them; gives up when `front` becomes readable, since then nobody wants them any more.
    ///
    /// - Returns: what the user should know.
    mutating func enter(watching front: CInt) throws(SandboxError) -> [String]

    /// Variables for the command.
    var environment: [(name: String, value: String)] { get }

    /// Begins what needs threads, when the command has been started and nothing is forked any more.
    mutating func serve()

    /// What a process below the keeper was for, so that its end can be told; nil for the command's own.
    func duty(of process: CInt) -> String?

    /// A process below the keeper that `leave` needs, and that ends by itself behind it.
    var attendant: CInt? { get }

    /// Takes away what does not end with the processes.
    ///
    /// - Returns: what the user should know.
    mutating func leave() throws(SandboxError) -> [String]

    /// Takes away what a keeper that was killed left, from the process in front.
    mutating func forsake(keeper: CInt) throws(SandboxError)
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
    public var companion: [String]?

    /// Makes a wrapping.
    public init(
        arguments: [[UInt8]],
        account: Account? = nil,
        timeout: Duration? = nil,
        keepsChildren: Bool = false,
        companion: [String]? = nil
    ) {
        self.arguments = arguments
        self.account = account
        self.timeout = timeout
        self.keepsChildren = keepsChildren
        self.companion = companion
    }
}
