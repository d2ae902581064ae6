// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import InternetAddresses

/// A socket that one probe owns, and that is closed with this object.
final class ProbeSocket {
    /// The maximum number of entries that are read from the error queue in one turn.
    private static let errorsPerTurn = 32

    let descriptor: Int32
    private let kind: Int

    /// Opens a socket of a kind (lc_tcp and so on); `address` selects the family, and is nil for a unix socket.
    ///
    /// - Parameter interface: the interface over which packets must leave; nil for any.
    init(_ kind: Int, to address: IPAddress? = nil, over interface: String? = nil) throws(SocketRefusal) {
        let result = lc_open_socket(Int32(kind), address?.family == .ipv6 ? 1 : 0)
        guard result >= 0 else { throw SocketRefusal(number: -result, address: address) }
        descriptor = result
        self.kind = kind
        // Last, since a failing initializer runs `deinit`, which closes the socket, only once all properties are set.
        if let number = Self.bind(result, to: interface) { throw SocketRefusal(number: number, address: address) }
    }

    /// Restricts a socket to one interface (SO_BINDTODEVICE of socket(7)); returns an errno, or nil for success.
    static func bind(_ descriptor: Int32, to interface: String?) -> Int32? {
        guard let interface else { return nil }
        let bytes = Array(interface.utf8)
        let result = setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, bytes, socklen_t(bytes.count))
        return result == 0 ? nil : errno
    }

    deinit {
        if kind == lc_tcp { lc_close_abruptly(descriptor) } else { close(descriptor) }
    }

    /// Starts to connect; returns 0, or an errno: EINPROGRESS if the result is not known yet.
    func connect(to address: IPAddress, _ port: UInt16) -> Int32 {
        var name = lc_address(address, port)
        let result = -lc_connect(descriptor, &name)
        if result == 0 || result == EINPROGRESS { ProbeConnections.note(descriptor, to: address, port, kind == lc_tcp) }
        return result
    }

    /// The failure that the socket reports, preferably by an ICMP error; nil if it reports none.
    ///
    /// - Parameter elapsed: the time since the probe started.
    func failure(_ family: IPAddress.Family, after elapsed: Duration) -> Observation? {
        var error = lc_socket_error()
        for _ in 0..<Self.errorsPerTurn {
            guard lc_take_error(descriptor, &error) == 0 else { break }
            if let observation = Observation(error, family) { return observation }
        }
        let number = lc_take_pending_error(descriptor)
        return number == 0 ? nil : Observation(KernelAnswer.later(number, after: elapsed), errorNumber: number)
    }
}

/// The kernel's refusal to create or bind a socket, with its errno.
struct SocketRefusal: Error {
    var number: Int32
    /// The address for which the socket was intended.
    var address: IPAddress?

    /// Whether this process or host has run out of descriptors, which may be temporary.
    var isShortage: Bool { number == EMFILE || number == ENFILE }

    var observation: Observation { Observation(KernelAnswer.socket(number, to: address), errorNumber: number) }
}

extension Observation {
    /// Interprets an entry of a socket's error queue; nil if the entry is not an error.
    init?(_ error: lc_socket_error, _ family: IPAddress.Family) {
        guard error.number != 0 else { return nil }
        guard error.is_icmp != 0 else {
            self.init(KernelAnswer.later(error.number, after: .zero), errorNumber: error.number)
            return
        }
        var offenderAddress = error.offender
        let isFromHere = offenderAddress.length != 0 && lc_is_local(&offenderAddress) == 1
        let icmp = ICMPError(type: error.type, code: error.code)
        guard let reason = Reason(icmp: icmp, family, isFromHere: isFromHere) else { return nil }
        self.init(.failed(reason), errorNumber: error.number)
        self.icmp = icmp
        offender = IPAddress(error.offender)
    }

    /// Interprets the errno that a call to send or connect returned immediately.
    init(atOnce number: Int32, to address: IPAddress) {
        self.init(KernelAnswer.atOnce(number, to: address), errorNumber: number)
    }
}
