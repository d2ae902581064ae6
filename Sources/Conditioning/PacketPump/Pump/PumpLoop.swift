// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkEmulation
internal import LinkProfiles
internal import LinkRules
internal import PacketFaults

/// The loop of the pump's thread: reads frames, passes them to pipelines, and delivers packets that are due.
///
/// No memory is allocated for a packet without faults: frames are stored in the pool, and tables are made at the start.
/// Only the pipelines' buffers grow with the number of packets that they hold.
///
/// ## A round
///
/// 1. Sleep until there is a frame or a command, or until the next packet is due. The timer's slack is 1 ns: the usual
///    50 us would delay most packets.
/// 2. Carry out commands, before frames are read: packets that arrive after the sender's call get the new conditions.
///    Pipelines of earlier conditions stay until they are empty, and deliver their packets as they have decided.
/// 3. End connections that were idle for as long as a fault allows: a packet that is read in this round does not revive
///    them.
/// 4. Read frames from each device, for 0.1 ms at most, so that due packets do not wait for a flood of arrivals.
/// 5. Deliver the due packets of all pipelines, in the order of time. Wire packets of one frame that leave one after
///    the other are written as one super-packet. Then send the frames that faults have held long enough.
/// 6. Publish the counters, and renew the watchdog: in the loop, so that filters notice a loop that hangs. They let
///    packets pass when the watchdog was not renewed in time.
/// 7. Complete each `settle` command two rounds later: all frames from before the command have been read by then.
///
/// ## A frame
///
/// 1. Frames without IP (such as ARP), neighbour discovery and DHCP pass at once while the link is up: no real link
///    makes a host lose its neighbours or its address. While the link is down they are lost, and not counted.
/// 2. Translate a packet to the host now, and a packet from the host only when it is written: flows, faults and records
///    use the host's view of addresses and ports.
/// 3. Look up the flow. It gives the lane, which on loopback depends on the end that opened the flow, and the packet's
///    position in the flow. The position selects the random decisions: they are the same however flows are mixed.
/// 4. Count the packet as arrived. Then drop it if the network's state loses it (link down, old address, no mapping, no
///    IPv6), or if an earlier fragment of the same packet was lost.
/// 5. Faults decide before the lane does: they stand for what is broken beyond the link. The packets that they make go
///    through the lane.
/// 6. Without a pipeline (a lane without impairments), write the frame. Otherwise deliver due packets, store the frame,
///    and let the pipeline decide about each wire packet at its arrival: dropped, or admitted once or several times.
///    With a rate, the bottleneck may still drop an admitted packet if its queue is full. When a packet leaves, the
///    network's state is checked again.
///
/// A stored frame has a reference for each departure that is still to come, and one while it is being admitted; without
/// references, its block goes back to the pool. A tag identifies the wire packet of a departure, and is released after
/// the packet's last copy.
///
/// When its devices are gone or a command stops it, the loop counts the packets that it still holds as dropped. If the
/// process is killed, an interface's TAP devices are deleted with it, and its filters let packets pass where the kernel
/// can do that, until the guardian has removed the filters. A sandbox's devices stay, and packets are lost there, so
/// that no test passes on a better link than it asked for.
struct PumpLoop: ~Copyable {
    /// The largest number of inputs.
    static let maximumInputs = 32
    /// The time to read frames before departures are checked again, in nanoseconds.
    private static let readingTime: Int64 = 100_000
    /// The longest time that a `settle` command waits for devices without more frames, in nanoseconds.
    private static let longestSettling: Int64 = 500_000_000
    /// The interval of checks whether an interface that is down was deleted, in milliseconds.
    private static let downRest: Int32 = 100
    /// The interval at which the watchdog is renewed, in nanoseconds.
    private static let renewalInterval = Int64(FilterWatchdog.interval / .nanoseconds(1))

    struct Input {
        let descriptor: Int32
        let output: Int32
        /// The ring from which frames are read; nil to read them from `descriptor`.
        let ring: UnsafeMutablePointer<lc_frame_ring>?
        let traffic: Traffic
        /// Whether the device carries only packets of the downlink.
        let isDownlink: Bool
        /// Bytes of the link-layer header that the device's packets lack and the pump adds.
        let lacking: Int
        /// The device's hardware address.
        let address: (UInt32, UInt16)
        /// Whether there may be more frames to read.
        var hasMore = false
        /// Whether the interface of `ring` was taken down, and may be deleted.
        var isDown = false
    }

    let inputs: UnsafeMutablePointer<Input>
    let inputCount: Int
    private var poller: PumpPoller
    private let commands: PumpCommands
    var pipelines = RunningPipelines()
    var pool: FramePool
    var tags: PacketTags
    var flows: FlowTable
    var lostPackets = LostPackets()
    /// Faults, which decide about packets before the lane does; nil without faults.
    var faults: PacketFaults?
    /// Counts packets for the faults and the schedule of the conditions in use.
    var hits = HitCounter()
    /// Frames that faults hold back.
    var held = HeldFrames()
    var writer = FrameWriter()
    /// The block for the next read.
    var reading: StoredFrame
    private let page: CounterPage
    let counters: UnsafeMutablePointer<LaneCounters>
    var untouched: UInt64 = 0
    private var lostDevices: UInt64 = 0
    /// Decides which packets the network's state loses, and translates addresses and ports.
    var network = NetworkGate()
    private var missed: UInt64 = 0
    var watchers: PacketWatchers
    /// Whether packets arrive too fast for one record each.
    var isCrowded = false
    /// The watchdog by which filters notice that this loop has stopped; nil if no filter reads one.
    private let watchdog: FilterWatchdog?
    /// The time of the watchdog's next renewal.
    private var renewal = Int64.min
    /// The commands that are completed after `settling` further rounds in which all frames are read.
    private var unsettled: [PumpCommands.Completion] = []
    private var settling = 0
    /// The time from which `settling` counts rounds even if devices have more frames.
    private var settlesBy = Int64.max

    init(
        inputs: [PumpInput],
        configuration: PumpConfiguration,
        commands: PumpCommands,
        page: CounterPage,
        watchers: PacketWatchers,
        watchdog: FilterWatchdog?
    ) throws(PumpError) {
        guard (1...Self.maximumInputs).contains(inputs.count) else { throw .inputs }
        guard var pool = FramePool(bytes: configuration.memory) else { throw .memory }
        guard let tags = PacketTags(capacity: configuration.maximumHeld * 4) else { throw .memory }
        let table = FlowTable(capacity: configuration.flows, ephemeralPorts: configuration.ephemeralPorts)
        guard let flows = table else { throw .memory }
        guard let reading = pool.allocate(FramePool.largestBlock) else { throw .memory }
        poller = try PumpPoller(inputs, commands: commands.wakeup)
        self.pool = pool
        self.tags = tags
        self.reading = StoredFrame(reading)
        self.commands = commands
        self.page = page
        self.watchers = watchers
        self.watchdog = watchdog
        self.flows = flows
        counters = .allocate(capacity: Lane.allCases.count)
        counters.initialize(repeating: LaneCounters(), count: Lane.allCases.count)
        inputCount = inputs.count
        self.inputs = .allocate(capacity: inputs.count)
        for (index, input) in inputs.enumerated() {
            let address = input.device.address.withUnsafeBytes {
                ($0.loadUnaligned(as: UInt32.self), $0.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
            }
            (self.inputs + index).initialize(
                to: Input(
                    descriptor: input.device.descriptor,
                    output: input.device.output,
                    ring: input.device.ring?.state,
                    traffic: input.traffic,
                    isDownlink: !input.traffic.lanes(input.facing).contains(.uplink),
                    lacking: input.isBare ? AddedEthernetHeader.size(of: input.traffic) : 0,
                    address: address
                )
            )
        }
    }

    deinit {
        counters.deallocate()
        inputs.deallocate()
    }

    /// Runs until the pump is stopped or its last device has been deleted.
    mutating func run() {
        // The default slack is 50 us, which would delay most packets.
        lc_prctl(PR_SET_TIMERSLACK, 1)
        lc_set_slice(100_000)
        // An idle pump renews the watchdog, too: the next packet must not find it out of date.
        let longestRest: Int32 = watchdog == nil ? -1 : Int32(Self.renewalInterval / 1_000_000)
        var isStopping = false
        while !isStopping, lostDevices < inputCount {
            let events = poller.wait(limit: mayRest() ? hasDownInput ? Self.downRest : longestRest : 0)
            if events.hasCommands { isStopping = carryOutCommands() }
            // Before frames are read: a packet that comes too late must not end the idle time.
            if nextIdle != .max, nextIdle <= lc_monotonic_time() { endIdleConnections() }
            for index in 0..<inputCount where inputs[index].hasMore || events.hasFrames(index) || inputs[index].isDown {
                read(index)
            }
            deliverDue()
            if !held.isEmpty { releaseHeld() }
            publish()
            renewWatchdog()
            settle()
        }
        dropAllQueued()
        publish()
    }

    private var hasDownInput: Bool {
        for index in 0..<inputCount where inputs[index].isDown { return true }
        return false
    }

    private var hasMoreFrames: Bool {
        for index in 0..<inputCount where inputs[index].hasMore { return true }
        return false
    }

    /// Completes the commands in `unsettled` when the frames from before them have been read. A round polls for
    /// commands and frames at once, so that these frames are read in the second round at the latest. If frames come
    /// faster than they are read, devices always have more: the wait for them ends at `settlesBy`.
    private mutating func settle() {
        guard settling > 0 else { return }
        if lc_monotonic_time() < settlesBy, hasMoreFrames { return }
        settling -= 1
        guard settling == 0 else { return }
        unsettled.forEach { $0.finish() }
        unsettled = []
    }

    private mutating func renewWatchdog() {
        guard let watchdog else { return }
        let now = lc_monotonic_time()
        guard now >= renewal else { return }
        watchdog.renew()
        renewal = now + Self.renewalInterval
    }

    private func publish() {
        if pipelines.areShared { pipelines.countCompetition(counters) }
        page.publish(
            counters,
            memory: UInt64(pool.usedBytes),
            untouched: untouched,
            lostDevices: lostDevices,
            missed: missed,
            hits: hits,
            connections: faults?.connectionCounts
        )
    }

    /// The earliest time at which a connection may have been idle for a fault's idle time; `.max` for never.
    private var nextIdle: Int64 { faults?.nextIdle ?? .max }

    /// Sets the timer to the next departure; returns whether to sleep until then.
    private mutating func mayRest() -> Bool {
        guard !hasMoreFrames, settling == 0 else { return false }
        return poller.arm(min(pipelines.next, held.next, nextIdle))
    }

    private mutating func read(_ index: Int) {
        let (descriptor, ring) = (inputs[index].descriptor, inputs[index].ring)
        let (traffic, lacking) = (inputs[index].traffic, inputs[index].lacking)
        let start = lc_monotonic_time()
        var now = start
        var isFirst = true
        while true {
            let count =
                if let ring {
                    lc_read_frame(ring, reading.header, UInt(StoredFrame.frameCapacity))
                } else {
                    lc_read(descriptor, reading.header + lacking, UInt(StoredFrame.frameCapacity - lacking))
                }
            guard count > VirtioHeader.size else {
                inputs[index].hasMore = false
                var isOver = count < 0 && count != -Int(EAGAIN)
                if let ring {
                    noteMissed(lc_take_missed_frames(ring))
                    if isFirst, lc_frame_ring_went_down(ring) != 0 { inputs[index].isDown = true }
                    isOver = inputs[index].isDown && lc_frame_ring_is_over(ring) != 0
                }
                if isOver {
                    inputs[index].isDown = false
                    poller.forget(descriptor)
                    lostDevices += 1
                }
                return
            }
            isFirst = false
            inputs[index].isDown = false
            now = lc_monotonic_time()
            if lacking > 0 { AddedEthernetHeader.put(reading.header, for: traffic, inputs[index].address) }
            receive(count + lacking, index, now)
            if now - start > Self.readingTime {
                inputs[index].hasMore = true
                return
            }
        }
    }

    /// Counts frames that were lost before the pump could read them: not losses of the link.
    private mutating func noteMissed(_ count: UInt64) {
        guard count > 0 else { return }
        missed &+= count
        watchers.log?.recorder.miss(count)
        watchers.capture?.miss(count)
    }

    /// Carries out commands; returns whether to stop.
    private mutating func carryOutCommands() -> Bool {
        let contents = commands.receive()
        // Recorded before the packets that new faults make at once.
        if let name = contents.profileName { watchers.capture?.change(to: name, at: lc_monotonic_time()) }
        if let pipelines = contents.pipelines { use(pipelines) }
        if contents.isDropping { dropQueuedPackets() }
        if let state = contents.network { network.use(state, now: lc_monotonic_time()) }
        if let recorder = contents.recorder {
            watchers = PacketWatchers(log: watchers.log, capture: recorder, account: watchers.account)
            isCrowded = false
            recordLanes()
        }
        if let account = contents.account {
            watchers = PacketWatchers(log: watchers.log, capture: watchers.capture, account: account)
            isCrowded = watchers.isOnlyAccount
        }
        contents.completions.forEach { $0.finish() }
        if !contents.settlings.isEmpty {
            unsettled += contents.settlings
            settling = 2
            settlesBy = lc_monotonic_time() + Self.longestSettling
        }
        return contents.isStopping
    }
}
