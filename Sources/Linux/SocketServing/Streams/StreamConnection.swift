// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinuxSystem

/// The callbacks of a connection. They are called on the loop's thread. Of the connection's methods, only `close` and
/// `reset` call back before they return.
package protocol StreamReceiver: AnyObject {
    /// Receives bytes, which are valid during the call only.
    func receive(_ bytes: UnsafeRawBufferPointer, from connection: StreamConnection)
    /// The other end has ended its output. It may still receive.
    func inputHasEnded(of connection: StreamConnection)
    /// The kernel has accepted all bytes written, and may accept more.
    func outputHasDrained(of connection: StreamConnection)
    /// The connection is closed. Called once.
    ///
    /// - Parameter error: the errno of the failure; nil if both directions have ended, or this process closed the
    ///   connection.
    func hasClosed(_ connection: StreamConnection, error: CInt?)
}

/// A connected stream socket, TCP or unix(7), on an event loop.
///
/// Written bytes go to the kernel at once, as far as it accepts them, and the rest is queued: a writer that waits for
/// `outputHasDrained` while not `isWritable` queues no more than its last piece. A reader that cannot continue clears
/// `isReading`, and the kernel makes the other end wait. The connection closes itself when both directions have ended,
/// or on an error.
package final class StreamConnection: DescriptorOwner {
    /// The capacity in bytes above which an emptied queue frees its memory.
    private static let maximumKept = 64 << 10

    private enum Output {
        case open
        /// The end is sent after the queued bytes.
        case ending
        case ended
    }

    package let descriptor: CInt
    private let loop: EventLoop
    private let readSize: Int
    private var watch: DescriptorWatch?
    private var receiver: (any StreamReceiver)?
    private var queue: [UInt8] = []
    private var queueStart = 0
    private var output = Output.open
    private var hasEndedInput = false
    private var closesWhenDrained = false
    /// The reason why the last write failed; reported in the next turn.
    private var failure: CInt?

    /// Takes ownership of `descriptor`, and reads nothing yet.
    ///
    /// - Parameter readSize: the maximum number of bytes received at once.
    package init(
        _ descriptor: CInt,
        on loop: EventLoop,
        readSize: Int = .max,
        receiver: any StreamReceiver
    ) throws(SystemError) {
        (self.descriptor, self.loop, self.receiver) = (descriptor, loop, receiver)
        self.readSize = min(readSize, loop.buffer.count)
        do {
            watch = try loop.watch(descriptor, for: [], owner: self)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    package var isOpen: Bool { watch != nil }

    /// Whether to receive bytes.
    package var isReading = false {
        didSet { updateInterest() }
    }

    /// Whether the connection accepts bytes and none are queued.
    package var isWritable: Bool { queue.isEmpty && failure == nil && output == .open }

    /// Writes bytes, or queues them; drops them after the end of the output.
    package func write(_ bytes: UnsafeRawBufferPointer) {
        guard isOpen, output == .open, failure == nil else { return }
        var rest = bytes
        if queue.isEmpty {
            guard let count = send(rest) else { return fail() }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        guard !rest.isEmpty else { return }
        queue.append(contentsOf: rest)
        updateInterest()
    }

    package func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { write($0) } }

    /// Calls `outputHasDrained` once even if nothing is queued: in this turn of the loop or the next, not during this
    /// call. The kernel reports a unix socket as writable only when most of its buffer is empty, which would delay a
    /// writer of pieces.
    package func tellWhenDrained() {
        guard queue.isEmpty else { return }
        loop.callSoon { [weak self] in
            guard let self, isOpen, isWritable else { return }
            receiver?.outputHasDrained(of: self)
        }
    }

    /// Ends the output after the queued bytes.
    package func endOutput() {
        guard isOpen, output == .open else { return }
        output = .ending
        endOutputIfDrained()
    }

    /// Stops reading, and closes the connection once the queued bytes are written.
    package func closeWhenDrained() {
        isReading = false
        closesWhenDrained = true
        if queue.isEmpty { close() }
    }

    /// Closes the connection at once; queued bytes are lost.
    package func close() { end(error: nil) }

    /// Resets a TCP connection: the other end receives RST. Of the queued bytes, only those are sent that the kernel
    /// accepts now.
    package func reset() {
        guard isOpen else { return }
        if !queue.isEmpty { queue.withUnsafeBytes { _ = send(UnsafeRawBufferPointer(rebasing: $0[queueStart...])) } }
        end(error: nil, abruptly: true)
    }

    package func loopHasEnded() { close() }

    package func descriptorIsReady(_ readiness: Readiness) {
        if let failure { return end(error: failure) }
        if readiness.contains(.writable) { flush() }
        guard isOpen, !readiness.isDisjoint(with: [.readable, .failed]) else { return }
        if isReading, !hasEndedInput {
            read()
        } else if readiness.contains(.failed) {
            let error = lc_take_pending_error(descriptor)
            if error != 0 || hasEndedInput { return end(error: error != 0 ? error : ECONNRESET) }
            // Both directions have ended, and earlier bytes are to be read later.
            watch?.suspend()
        }
    }

    private func read() {
        let count = recv(descriptor, loop.buffer.baseAddress, readSize, CInt(MSG_DONTWAIT))
        if count > 0 {
            receiver?.receive(UnsafeRawBufferPointer(rebasing: loop.buffer[..<count]), from: self)
        } else if count < 0 {
            if errno != EAGAIN, errno != EINTR { end(error: errno) }
        } else {
            hasEndedInput = true
            updateInterest()
            receiver?.inputHasEnded(of: self)
            endIfBothHaveEnded()
        }
    }

    /// Sends queued bytes, as far as the kernel accepts them; then closes or reports as requested.
    private func flush() {
        if !queue.isEmpty {
            precondition(queueStart < queue.count, "what was written is still queued")
            guard let count = queue.withUnsafeBytes({ send(UnsafeRawBufferPointer(rebasing: $0[queueStart...])) })
            else {
                return fail()
            }
            queueStart += count
            guard queueStart == queue.count else { return }
            queue.removeAll(keepingCapacity: queue.capacity <= Self.maximumKept)
            queueStart = 0
        }
        if closesWhenDrained { return close() }
        endOutputIfDrained()
        guard isOpen else { return }
        updateInterest()
        if output == .open { receiver?.outputHasDrained(of: self) }
    }

    /// Sends bytes; returns the number that the kernel accepted, or nil if the connection has failed.
    private func send(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
        guard count < 0 else { return count }
        return errno == EAGAIN || errno == EINTR || errno == ENOBUFS ? 0 : nil
    }

    /// Records that writing has failed. The failure is reported in the next turn, since a writer does not expect the
    /// connection to be closed while it writes.
    private func fail() {
        failure = errno
        queue = []
        queueStart = 0
        watch?.interest = .writable
    }

    private func endOutputIfDrained() {
        guard output == .ending, queue.isEmpty, failure == nil else { return }
        shutdown(descriptor, CInt(SHUT_WR))
        output = .ended
        endIfBothHaveEnded()
    }

    private func endIfBothHaveEnded() {
        if hasEndedInput, output == .ended { end(error: nil) }
    }

    private func updateInterest() {
        guard let watch, failure == nil else { return }
        var interest: Readiness = isReading && !hasEndedInput ? .readable : []
        if !queue.isEmpty { interest.insert(.writable) }
        watch.interest = interest
    }

    private func end(error: CInt?, abruptly: Bool = false) {
        guard let watch, let receiver else { return }
        self.watch = nil
        self.receiver = nil
        watch.end()
        if abruptly { lc_close_abruptly(descriptor) } else { Glibc.close(descriptor) }
        queue = []
        queueStart = 0
        receiver.hasClosed(self, error: error)
    }
}
