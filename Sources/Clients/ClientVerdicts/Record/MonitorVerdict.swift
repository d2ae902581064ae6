// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
internal import InternetAddresses
package import LinkProfiles

extension RunRecord {
    /// A verdict on a target from `time` on, by a monitor that runs beside the client.
    package struct MonitorVerdict: Hashable, Sendable {
        package var time: Instant
        /// The target, as the monitor spells it: "tcp://192.0.2.1:80".
        package var target: String
        /// The host and the port of the target; nil if the target is not a host.
        package var peer: Peer?
        /// The addresses to which the target's name resolved.
        package var addresses: [String] = []
        /// The monitor's word for the status.
        package var status: String
        package var isReachable: Bool
        /// The reason for any status other than plainly reachable; nil if there is none.
        package var reason: String?
        /// The time between two probes.
        package var interval: Duration
        /// The time that contradicting probes need to change the verdict, from the sending of the first of them.
        package var bound: Duration

        package init(
            _ time: Instant,
            _ target: String,
            peer: Peer?,
            status: String,
            isReachable: Bool,
            reason: String? = nil,
            interval: Duration,
            bound: Duration = .zero
        ) {
            (self.time, self.target, self.peer) = (time, target, peer)
            (self.status, self.isReachable, self.reason) = (status, isReachable, reason)
            (self.interval, self.bound) = (interval, bound)
        }

        /// Whether a connection goes to the target.
        func concerns(_ connection: Connection, _ hosts: HostNames) -> Bool {
            guard let peer else { return false }
            let isDatagram = target.hasPrefix("udp://")
            guard peer.port == nil || isDatagram == (connection.carrier != .tcp) else { return false }
            if peer.matches(connection, hosts) { return true }
            guard peer.port == nil || peer.port == connection.server.port else { return false }
            return addresses.contains { IPAddress($0) == connection.server.address }
        }
    }

    /// A socket through which a monitor beside the client probed a target.
    package struct Probe: Hashable, Sendable {
        /// The time at which the socket was connected.
        package var time: Instant
        package var socket: SocketEnds
    }

    /// A process that held a socket.
    package struct Owner: Hashable, Sendable {
        /// The time at which the process was seen to hold the socket.
        package var time: Instant
        package var socket: SocketEnds
        /// "curl (1234)"
        package var name: String
        /// The process and its ancestors among the processes of the run; nil if they are not known.
        package var holder: SocketHolder?
    }
}

extension RunRecord.MonitorVerdict: JSONObject {
    package static let blank = Self(.zero, "", peer: nil, status: "", isReachable: false, interval: .zero)

    /// Describes all members but the time, which is the event's.
    package mutating func describe(_ members: inout JSONMembers) {
        members.required("target", &target)
        members.lenient("peer", &peer)
        members.lenient("addresses", &addresses)
        members.required("status", &status)
        members.required("reachable", &isReachable)
        members.lenient("reason", &reason)
        members.lenient("interval", &interval)
        members.lenient("bound", &bound)
    }
}
