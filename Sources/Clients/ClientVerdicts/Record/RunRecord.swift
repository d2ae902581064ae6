// SPDX-License-Identifier: Apache-2.0

package import CapturedPackets
package import ClientTraffic

/// The events around a client: the labels of its run, how it ended, and the states of its sockets and of this machine.
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
        /// The start of the next label of its kind; the end of the run for the last.
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

    /// A change of a socket between two looks at it, where packets may show none.
    package struct SocketChange: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// The client asked for a connection, and no longer does: it was accepted, refused or closed.
            case asked
            /// A process held it, and none does any more, while the kernel still sends what it holds, and FIN after that.
            case closed
            /// A process held it connected, and the kernel no longer has it: if no packet tells why, the kernel gave it up.
            case removed
        }

        package var kind: Kind
        package var socket: SocketEnds
        /// The last time at which it may have been as before.
        package var last: Instant
        /// The first time at which it was not.
        package var gone: Instant

        package init(_ kind: Kind, of socket: SocketEnds, last: Instant, gone: Instant) {
            (self.kind, self.socket, self.last, self.gone) = (kind, socket, last, gone)
        }
    }

    /// A socket that some process held when the command had ended.
    package struct OpenSocket: Hashable, Sendable {
        package var socket: SocketEnds
        /// The process that held it: "curl (1234)"; nil if that is not known.
        package var owner: String?
        /// The process's own relation among those of the run; nil if that is not known.
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
        /// The process that asked for it: "python3 (1234)"; nil if that is not known.
        package var client: String?

        package init(_ time: Instant, _ profile: String, by client: String? = nil) {
            (self.time, self.profile, self.client) = (time, profile, client)
        }
    }

    /// A time in which this machine kept processes waiting for a processor.
    package struct Stall: Hashable, Sendable {
        package var begin: Instant
        package var end: Instant
        /// The time for which some process waited in it.
        package var waited: Duration

        package init(from begin: Instant, to end: Instant, waited: Duration) {
            (self.begin, self.end, self.waited) = (begin, end, waited)
        }
    }

    /// The time of day was set; the times of the run go on as before.
    package struct ClockChange: Hashable, Sendable {
        package var time: Instant
        /// Negative if it was set back.
        package var change: Duration

        package init(_ time: Instant, by change: Duration) { (self.time, self.change) = (time, change) }
    }

    /// A process that the run's network consists of, and that carried nothing from this time on.
    package struct LostCarrier: Hashable, Sendable {
        package var time: Instant
        /// The process as the subject of a sentence: "lc-gateway, which carries the uplink,".
        package var role: String
        package var state: RunEvent.CarrierState
    }

    /// The reason why not all that was recorded could be taken into account.
    package enum Shortfall: Hashable, Sendable {
        /// Events are missing, marks and steps perhaps among them: there was no room for them.
        case eventsMissing
        /// The user ended the reading of the packets.
        case interrupted
        /// The capture is damaged: only the packets before that could be read.
        case damaged
        /// The capture is not what was written.
        case captureChanged
        /// The process that carried and recorded the packets was killed before the command ended.
        case recordingEnded
        /// The recording has stopped before the end of the part, for this reason.
        case recordingStopped(String)
    }

    /// The time at which the command was started.
    package var begin: Instant
    /// The time at which it had ended.
    package var end: Instant
    package var outcome: CommandEnd
    package var labels: [Label] = []
    /// Labels of steps that never began, with what they waited for.
    package var missedSteps: [String: String] = [:]
    /// The changes of the client's sockets, in order.
    package var socketChanges: [SocketChange] = []
    /// The sockets that some process held when the command had ended, those of servers among them.
    package var openAtEnd: [OpenSocket] = []
    /// Whether this is a part of a run whose command goes on.
    package internal(set) var isPart = false
    /// Whether that is to be judged by what nothing later can change.
    package internal(set) var goesOn = false
    /// Whether the part begins after the command's start, so that earlier packets are none of it.
    package internal(set) var beginsLater = false
    /// The connections that a part is about.
    package var scope = PartScope()
    /// The start of the observation, if it was after the command's start.
    package var observedSince: Instant?
    /// The sockets that were connected when it began, whose first packets nothing has seen.
    package var olderSockets: [OpenSocket] = []
    /// Whether what was sampled ends where it should. It does not where the disk was full, or the supervisor was killed.
    package var isComplete = true
    /// The reason why not all that was recorded of the run could be taken into account; nil if it was.
    package var shortfall: Shortfall?
    /// Packets that the link still held when a part was judged.
    package var packetsOnTheLink = 0
    /// The time between two looks at the sockets; nil if nothing looked.
    package var samplingPeriod: Duration?
    /// Changes of the conditions that no step made: when, and the name of the profile.
    package var changes: [Change] = []
    /// The parts of the conditions, in the order in which they took effect; none where nothing counted.
    package var parts: [ConditionsPart] = []
    /// The processes that the run's network lost, or that were stopped for a time.
    package var lostCarriers: [LostCarrier] = []
    /// The digest of the packets written to the capture; nil if the capture has no end.
    package var capture: CaptureDigest.Value?
    package var stalls: [Stall] = []
    /// The changes of the time of day, in order.
    package var clockChanges: [ClockChange] = []
    /// The verdicts of a monitor beside the client, in order; none without a monitor.
    package var monitorVerdicts: [MonitorVerdict] = []
    /// The sockets of the monitor: what they carry is not the client's.
    package var probes: [Probe] = []
    /// The owners of the connections that lasted until a look at the sockets, in order.
    package var owners: [Owner] = []
    /// The verdicts that tests inside the run received: those of the first tests.
    package var tests: [TestVerdicts] = []
    /// The number of all tests.
    package var testCount = 0
    /// The names that the client could resolve without a query.
    package var hosts = HostNames()
    /// The names of events that mean nothing to this version.
    package var unknownEvents: Set<String> = []

    package init(begin: Instant, end: Instant, outcome: CommandEnd) {
        (self.begin, self.end, self.outcome) = (begin, end, outcome)
    }
}
