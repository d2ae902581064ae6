// SPDX-License-Identifier: Apache-2.0

package import CapturedPackets
package import ClientTraffic

/// The record of a client's run: its labels, its end, and the states of its sockets and of this machine.
package struct RunRecord: Hashable, Sendable {
    /// A step of a scenario or a mark.
    package struct Label: Hashable, Sendable {
        /// The origin of a label.
        package enum Kind: String, Hashable, Sendable {
            case step
            case mark
        }

        package var name: String
        package var kind: Kind
        package var begin: Instant
        /// The start of the next label of the same kind; the end of the run for the last.
        package var end: Instant
        /// The name of the profile that a step brought into effect; nil for a mark.
        package var profile: String?
        /// The step's changes to the uplink's network, in words.
        package var changes: [String]

        package init(
            _ name: String,
            _ kind: Kind,
            from begin: Instant,
            to end: Instant,
            profile: String? = nil,
            changes: [String] = []
        ) {
            (self.name, self.kind, self.begin, self.end, self.profile) = (name, kind, begin, end, profile)
            self.changes = changes
        }
    }

    /// A change of a socket between two scans, which packets may not show.
    package struct SocketChange: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// The socket was connecting, and no longer is: it was accepted, refused or closed.
            case asked
            /// A process held the socket, and no process does any longer. The kernel still sends the buffered data, and
            /// then a FIN.
            case closed
            /// A process held the connected socket, and the kernel no longer has it. If no packet shows why, the kernel
            /// timed it out.
            case removed
        }

        package var kind: Kind
        package var socket: SocketEnds
        /// The latest time at which the socket was seen in its old state.
        package var last: Instant
        /// The first time at which the socket was not in its old state.
        package var gone: Instant

        package init(_ kind: Kind, of socket: SocketEnds, last: Instant, gone: Instant) {
            (self.kind, self.socket, self.last, self.gone) = (kind, socket, last, gone)
        }
    }

    /// A socket that a process held after the command had ended.
    package struct OpenSocket: Hashable, Sendable {
        package var socket: SocketEnds
        /// The process that held the socket, such as "curl (1234)"; nil if it is not known.
        package var owner: String?
        /// The process and its ancestors among the processes of the run; nil if they are not known.
        package var holder: SocketHolder?
        /// The socket's inode; nil if that is not known.
        package var inode: UInt64?

        package init(_ socket: SocketEnds, owner: String? = nil, holder: SocketHolder? = nil, inode: UInt64? = nil) {
            (self.socket, self.owner, self.holder, self.inode) = (socket, owner, holder, inode)
        }
    }

    /// A change of the conditions.
    package struct Change: Hashable, Sendable {
        package var time: Instant
        package var profile: String
        /// The process that requested the change, such as "python3 (1234)"; nil if it is not known.
        package var client: String?

        package init(_ time: Instant, _ profile: String, by client: String? = nil) {
            (self.time, self.profile, self.client) = (time, profile, client)
        }

        /// Whether the process made the change.
        func isMade(by process: Int32) -> Bool { client?.hasSuffix(" (\(process))") ?? false }
    }

    /// A period in which processes waited for a CPU.
    package struct Stall: Hashable, Sendable {
        package var begin: Instant
        package var end: Instant
        /// The time in the period during which at least one process waited.
        package var waited: Duration

        package init(from begin: Instant, to end: Instant, waited: Duration) {
            (self.begin, self.end, self.waited) = (begin, end, waited)
        }
    }

    /// A change of the time of day; the times of the run do not follow it.
    package struct ClockChange: Hashable, Sendable {
        package var time: Instant
        /// The change of the clock; negative if the clock was set back.
        package var change: Duration

        package init(_ time: Instant, by change: Duration) { (self.time, self.change) = (time, change) }
    }

    /// A process that the run's network needs, and that carried no packets from `time` on.
    package struct LostForwarder: Hashable, Sendable {
        package var time: Instant
        /// The process as the subject of a sentence: "lc-gateway, which carries the uplink,".
        package var role: String
        package var state: RunEvent.ForwarderState
    }

    /// The reason why the judging could not use all that was recorded.
    package enum Shortfall: Hashable, Sendable {
        /// Events are missing for lack of space, perhaps marks and steps.
        case eventsMissing
        /// The user interrupted the reading of the packets.
        case interrupted
        /// The capture is damaged: only the packets before the damage could be read.
        case damaged
        /// The capture was changed after it was written.
        case captureChanged
        /// The process that carried and recorded the packets was killed before the command ended.
        case recordingEnded
        /// The recording has stopped before the end of the part, for this reason.
        case recordingStopped(String)
    }

    /// The time at which the command was started.
    package var begin: Instant
    /// The time at which the command ended.
    package var end: Instant
    package var outcome: CommandEnd
    package var labels: [Label] = []
    /// The labels of steps that never started, with what each waited for.
    package var missedSteps: [String: String] = [:]
    /// The changes of the client's sockets, in order.
    package var socketChanges: [SocketChange] = []
    /// The sockets that processes held after the command had ended, including servers' sockets.
    package var openAtEnd: [OpenSocket] = []
    /// Whether this is the record of a part of a run, and not of a whole run.
    package internal(set) var isPart = false
    /// Whether the run continues: a part is then judged only by what later packets cannot change.
    package internal(set) var goesOn = false
    /// Whether the part starts after the command's start, so that earlier packets do not belong to it.
    package internal(set) var beginsLater = false
    /// The connections that a part is about.
    package var scope = PartScope()
    /// The start of the observation, if it was after the command's start.
    package var observedSince: Instant?
    /// The sockets that were connected at the start of the observation, whose first packets were not captured.
    package var olderSockets: [OpenSocket] = []
    /// Whether the samples are complete. They are not if the disk was full, or the supervisor was killed.
    package var isComplete = true
    /// The reason why the judging could not use all that was recorded of the run; nil if it could.
    package var shortfall: Shortfall?
    /// Packets that the link still held when a part was judged.
    package var packetsOnTheLink = 0
    /// The time between two scans of the sockets; nil if there were none.
    package var samplingPeriod: Duration?
    /// Changes of the conditions that were not steps.
    package var changes: [Change] = []
    /// The parts of the conditions, in the order in which they took effect; empty if packets were not counted.
    package var parts: [ConditionsPart] = []
    /// The processes that the run's network lost, or that were stopped for a time.
    package var lostForwarders: [LostForwarder] = []
    /// The digest of the packets written to the capture; nil if the capture has no end.
    package var capture: CaptureDigest.Value?
    package var stalls: [Stall] = []
    /// The changes of the time of day, in order.
    package var clockChanges: [ClockChange] = []
    /// The verdicts of a monitor beside the client, in order; none without a monitor.
    package var monitorVerdicts: [MonitorVerdict] = []
    /// The sockets of the monitor, whose packets are not the client's.
    package var probes: [Probe] = []
    /// The owners of the connections that a scan of the sockets found, in order.
    package var owners: [Owner] = []
    /// The verdicts that the first tests inside the run received.
    package var tests: [TestVerdicts] = []
    /// The number of all tests inside the run.
    package var testCount = 0
    /// The names that the client could resolve without a query.
    package var hosts = HostNames()
    /// The names of events that this version of linkcond does not know.
    package var unknownEvents: Set<String> = []

    package init(begin: Instant, end: Instant, outcome: CommandEnd) {
        (self.begin, self.end, self.outcome) = (begin, end, outcome)
    }
}
