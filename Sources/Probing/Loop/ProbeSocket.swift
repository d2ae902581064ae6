// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import InternetAddresses

/// A socket that one probe owns, closed with it.
final class ProbeSocket {
    /// How many entries of the error queue one turn takes.
    private static let errorsPerTurn = 32

    let descriptor: Int32
    private let kind: Int

    /// Opens a socket of a kind (lc_tcp and so on).
    init(_ kind: Int, _ family: IPAddress.Family = .ipv4) throws(SocketRefusal) {
        let result = lc_open_socket(Int32(kind), family == .ipv6 ? 1 : 0)
        guard result >= 0 else { throw SocketRefusal(number: -result) }
        descriptor = result
        self.kind = kind
    }

    deinit {
        if kind == lc_tcp { lc_close_abruptly(descriptor) } else { close(descriptor) }
    }

    /// Connects; gives zero, or an errno, which is EINPROGRESS where the end is not known yet.
    func connect(to address: IPAddress, _ port: UInt16) -> Int32 {
        var name = lc_address(address, port)
        let result = -lc_connect(descriptor, &name)
        if result == 0 || result == EINPROGRESS { ProbeConnections.note(descriptor, to: address, port, kind == lc_tcp) }
        return result
    }

    /// What has gone wrong, as far as the socket knows: by the ICMP error that came if there is one.
    ///
    /// - Parameter elapsed: how long ago the target was called.
    func failure(_ family: IPAddress.Family, after elapsed: Duration) -> Observation? {
        var error = lc_socket_error()
        for _ in 0..<Self.errorsPerTurn {
            guard lc_take_error(descriptor, &error) == 0 else { break }
            if let observation = Observation(error, family) { return observation }
        }
        let number = lc_take_pending_error(descriptor)
        guard number != 0 else { return nil }
        var observation = Observation(KernelAnswer.later(number, after: elapsed))
        observation.errorNumber = number
        return observation
    }
}

/// The kernel's refusal to make a socket, with its errno.
struct SocketRefusal: Error {
    var number: Int32

    /// What that says to a probe: a shortage is thrown on, for others may end it soon.
    func observation(to address: IPAddress) throws(DescriptorShortage) -> Observation {
        if number == EMFILE || number == ENFILE { throw DescriptorShortage() }
        var observation = Observation(KernelAnswer.socket(number, to: address))
        observation.errorNumber = number
        return observation
    }
}

extension Observation {
    /// What an entry of a socket's error queue says; nil for an entry that is no error.
    init?(_ error: lc_socket_error, _ family: IPAddress.Family) {
        guard error.number != 0 else { return nil }
        guard error.is_icmp != 0 else {
            self.init(KernelAnswer.later(error.number, after: .zero))
            errorNumber = error.number
            return
        }
        var offenderAddress = error.offender
        let isFromHere = offenderAddress.length != 0 && lc_is_local(&offenderAddress) == 1
        let icmp = ICMPError(type: error.type, code: error.code)
        guard let reason = Reason(icmp: icmp, family, isFromHere: isFromHere) else { return nil }
        self.init(.failed(reason))
        self.icmp = icmp
        errorNumber = error.number
        offender = IPAddress(error.offender)
    }

    /// What a call to the kernel said at once.
    init(atOnce number: Int32, to address: IPAddress) {
        self.init(KernelAnswer.atOnce(number, to: address))
        errorNumber = number
    }
}
