// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import DequeModule
import Glibc
import HeapModule
import InternetAddresses
import LinuxSystem

/// The probe loop itself, used only on its thread.
final class ProbeEngine {
    private static let wakerKey: UInt64 = 0
    private static let firstProbe: UInt64 = 16
    /// Keys from here on belong to echo channels, keys below to probes.
    private static let firstEcho: UInt64 = 1 << 63

    /// The family and interface of the echo requests that share a socket.
    private struct EchoKey: Hashable {
        var family: IPAddress.Family
        var interface: String?
    }

    let poller: Int32
    private var timers = Heap<ProbeTimer>()

    private let mailbox: Mailbox<LoopRequests>
    private var echoes: [EchoChannel] = []
    private var echoIndexes: [EchoKey: Int] = [:]
    private var active: [UInt64: ActiveProbe] = [:]
    private var nextProbe = firstProbe
    private var budget: DescriptorBudget
    private var sockets = 0
    /// Probes that wait for a descriptor.
    private var waiting: Deque<ActiveProbe> = []
    private var requests = LoopRequests()
    private var hasRequests = false

    /// The settings for TLS; nil if this loop does not support TLS and HTTP.
    private var contexts: TLSContexts?

    init(_ mailbox: Mailbox<LoopRequests>, _ budget: DescriptorBudget, roots: TrustRoots?) {
        contexts = roots.map { TLSContexts(roots: $0) }
        self.mailbox = mailbox
        self.budget = budget
        poller = lc_open_poller()
        precondition(poller >= 0, "no epoll for the probe loop: errno \(-poller)")
        lc_watch(poller, mailbox.wakeup.descriptor, Int32(lc_readable), Self.wakerKey)
    }

    deinit { close(poller) }

    /// Serves requests until the mailbox is closed; then ends the remaining probes with `nothing(stopped)`.
    func run() {
        let capacity = 256
        let ready = UnsafeMutablePointer<lc_readiness>.allocate(capacity: capacity)
        defer { ready.deallocate() }
        var isClosed = false
        var fullLists = 0
        while !isClosed {
            let count = lc_wait(poller, ready, Int32(capacity), milliseconds())
            let now = lc_monotonic_time()
            for index in 0..<Int(max(count, 0)) { serve(ready[index], now) }
            if hasRequests {
                hasRequests = false
                handleRequests(now)
                // Read only after `handleRequests`, which also clears the signal of a close. The last requests may
                // have been sent in between.
                isClosed = mailbox.isClosed
                if isClosed { handleRequests(now) }
            }
            for channel in echoes { channel.send(self) }
            // Replies that arrived in time must be read before a probe times out. epoll lists the ready descriptors in
            // turn, so each has been served after as many full lists as hold all sockets.
            fullLists = count < capacity ? 0 : fullLists + 1
            if fullLists == 0 || fullLists > sockets / capacity {
                fullLists = 0
                expire(now)
            }
            startWaiting()
        }
        for probe in active.values { probe.end(Observation(.nothing(.stopped))) }
    }

    /// Ends a probe with an observation, and closes its socket.
    func finish(_ probe: ActiveProbe, _ observation: Observation) {
        guard active.removeValue(forKey: probe.number) != nil else { return }
        release(probe)
        probe.end(observation)
    }

    /// Returns the active echo request with this number, if it was sent to `address`.
    func echo(_ number: UInt64, to address: lc_address) -> ActiveProbe? {
        guard let probe = active[number], case .icmp(let target) = probe.probe else { return nil }
        return address.isSame(as: target) ? probe : nil
    }

    /// Returns the latest active echo request to `address` whose number ends in these 16 bits.
    func echo(sequence: UInt16, to address: lc_address) -> ActiveProbe? {
        var number = nextProbe & ~0xFFFF | UInt64(sequence)
        for _ in 0..<64 {
            if let probe = echo(number, to: address) { return probe }
            guard number > 0xFFFF else { return nil }
            number -= 0x1_0000
        }
        return nil
    }

    private func serve(_ ready: lc_readiness, _ now: Int64) {
        switch ready.key {
        case Self.wakerKey: hasRequests = true
        case Self.firstEcho...:
            let channel = echoes[Int(ready.key - Self.firstEcho)]
            if Int(ready.what) & lc_failed != 0 { _ = channel.readErrors(self) }
            channel.receive(self)
        default:
            guard let probe = active[ready.key], let work = probe.work else { return }
            go(on: probe, work.proceed(Int(ready.what), now))
        }
    }

    private func handleRequests(_ now: Int64) {
        mailbox.dequeue(into: &requests)
        for probe in requests.starts { start(probe, now) }
        for probe in requests.cancellations where active.removeValue(forKey: probe.number) != nil {
            release(probe)
        }
        // Released at once, since a probe may hold the last reference to the loop, whose release ends this thread.
        requests.starts.removeAll(keepingCapacity: requests.starts.capacity < 65_536)
        requests.cancellations.removeAll(keepingCapacity: true)
    }

    private func start(_ probe: ActiveProbe, _ now: Int64) {
        guard !probe.hasEnded else { return }
        probe.number = nextProbe
        nextProbe += 1
        active[probe.number] = probe
        if case .icmp(let address) = probe.probe {
            // Without a scope, a raw socket would choose an interface by itself.
            guard !KernelAnswer.lacksScope(address) else {
                return finish(probe, Observation(.impossible(.scopeMissing)))
            }
            channel(EchoKey(family: address.family, interface: probe.interface)).add(probe)
            return
        }
        guard let work = work(for: probe.probe) else {
            return finish(probe, Observation(.nothing(.unsupported)))
        }
        if !waiting.isEmpty || !launch(probe, work) { wait(probe, now) }
    }

    private func channel(_ place: EchoKey) -> EchoChannel {
        if let index = echoIndexes[place] { return echoes[index] }
        let key = Self.firstEcho + UInt64(echoes.count)
        let channel = EchoChannel(place.family, over: place.interface, key: key)
        echoIndexes[place] = echoes.count
        echoes.append(channel)
        return channel
    }

    /// Starts a probe's work; false if no descriptor is available for it.
    private func launch(_ probe: ActiveProbe, _ work: any ProbeWork) -> Bool {
        guard budget.hasRoom(beyond: sockets) else { return false }
        let now = lc_monotonic_time()
        let step: ProbeStep
        do throws(SocketRefusal) {
            step = try work.begin(now, over: probe.interface)
        } catch  where error.isShortage {
            // Other code of this process uses more descriptors than are reserved: tries to raise the limit.
            return budget.raise() && launch(probe, work)
        } catch {
            step = .end(error.observation)
        }
        probe.sent = now
        probe.work = work
        sockets += 1
        if case .end = step {} else { schedule(probe, at: now &+ probe.timeout) }
        go(on: probe, step)
        return true
    }

    /// The work of a probe that needs a socket of its own; nil for probes that this loop does not support.
    private func work(for probe: Probe) -> (any ProbeWork)? {
        switch probe {
        case .tcp(let address, let port): return TCPConnect(address, port)
        case .udp(let address, let port): return UDPEcho(address, port)
        case .unix(let path): return UnixConnect(path)
        case .dns(let question, let server, let port, let overTCP):
            return DNSExchange(question, server: server, port: port, overTCP: overTCP)
        case .tls(let address, let port, let name) where contexts != nil:
            return WebProbe(.session(name: name), address, port, contexts?.current())
        case .http(let question, let address) where contexts != nil:
            return WebProbe(.web(question), address, question.port, question.isSecure ? contexts?.current() : nil)
        case .icmp, .tls, .http, .over: return nil
        }
    }

    private func wait(_ probe: ActiveProbe, _ now: Int64) {
        // Without an open socket, none will be closed, so waiting is pointless.
        guard sockets > 0 else { return finish(probe, Observation(.nothing(.resources))) }
        waiting.append(probe)
        schedule(probe, at: now &+ probe.timeout)
    }

    private func startWaiting() {
        while let probe = waiting.first {
            if !probe.hasEnded, active[probe.number] != nil, let work = work(for: probe.probe), !launch(probe, work) {
                guard sockets == 0 else { break }
                finish(probe, Observation(.nothing(.resources)))
            }
            waiting.removeFirst()
        }
    }

    private func go(on probe: ActiveProbe, _ step: ProbeStep) {
        switch step {
        case .stay: break
        case .end(let observation): finish(probe, observation)
        case .sleep(let time): schedule(probe, at: time)
        case .wait(let what, let time):
            if let time { schedule(probe, at: time) }
            guard let socket = probe.work?.descriptor else { return }
            lc_watch(poller, socket.descriptor, Int32(what), probe.number)
        }
    }

    /// Sets a timer: the loop checks the probe at `time`, on CLOCK_MONOTONIC.
    func schedule(_ probe: ActiveProbe, at time: Int64) {
        timers.insert(ProbeTimer(time: time, probe: probe.number))
    }

    private func release(_ probe: ActiveProbe) {
        guard probe.work != nil else { return }
        probe.work = nil
        sockets -= 1
    }

    private func expire(_ now: Int64) {
        var hasLooked = false
        while let timer = timers.min, timer.time <= now {
            timers.removeMin()
            guard active[timer.probe] != nil else { continue }
            if !hasLooked {
                hasLooked = true
                let wallTime = lc_wall_time()
                for channel in echoes {
                    channel.receive(self, until: wallTime)
                    _ = channel.readErrors(self)
                }
            }
            guard let probe = active[timer.probe] else { continue }
            if let deadline = probe.deadline, deadline > now {
                guard let work = probe.work else { continue }
                go(on: probe, (try? work.wake(now)) ?? .end(Observation(.nothing(.resources))))
            } else if probe.sent == nil {
                finish(probe, Observation(.nothing(.resources)))
            } else {
                finish(probe, probe.work?.timeOut() ?? Observation(.failed(.blackHole)))
            }
        }
        if timers.count > 4 * active.count + 65_536 { timers.removeAll { active[$0.probe] == nil } }
    }

    /// How long epoll_wait may wait, in milliseconds, rounded up; -1 (no limit) if no probe is active.
    private func milliseconds() -> Int32 {
        while let timer = timers.min, active[timer.probe] == nil { timers.removeMin() }
        if echoes.contains(where: \.isBlocked) { return 1 }
        guard let next = timers.min?.time else { return -1 }
        return Int32(clamping: (max(0, next - lc_monotonic_time()) + 999_999) / 1_000_000)
    }
}
