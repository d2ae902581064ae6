// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkEmulation
internal import LinkProfiles
internal import TrafficControl

/// The pump's loop, which belongs to its thread: reads frames, asks the pipelines, writes back what is due.
///
/// Nothing is allocated for a packet: frames live in the pool, the rest in tables that were made at the start. (The
/// pipelines' own buffers grow until they hold what their lanes hold.)
struct PumpLoop: ~Copyable {
    /// Keys of the poller: inputs first, then these.
    static let timerKey: UInt64 = 62
    static let mailKey: UInt64 = 63
    /// The most inputs.
    static let mostInputs = 32
    /// How long frames are read before departures are looked at again, in nanoseconds.
    private static let readingTime: Int64 = 100_000
    /// A departure so near is waited for without sleeping: that would take longer.
    static let spin: Int64 = 4_000
    /// What is due sooner waits for so long: on a fast link, packets then leave a few at a time, and the pump does not
    /// wake for each.
    static let shortestRest: Int64 = 30_000

    struct Input {
        let descriptor: Int32
        let traffic: Traffic
        /// The device's hardware address.
        let address: (UInt32, UInt16)
        /// Whether the last read was not the last frame.
        var hasMore = false
    }

    let inputs: UnsafeMutablePointer<Input>
    let inputCount: Int
    let mailbox: PumpMailbox
    let page: CounterPage
    let log: PacketLog?
    let poller: Int32
    let timer: Int32
    let counters: UnsafeMutablePointer<LaneCounters>
    var untouched: UInt64 = 0
    private var lostDevices: UInt64 = 0
    /// Passes through the loop in which all was read that was there, until somebody who waits for that may go on.
    private var settling = 0
    var pool: FramePool
    var slots: WireSlots
    var flows: FlowTable
    var writer = FrameWriter()
    /// Where the next frame is read to.
    var reading: StoredFrame
    /// The current pipelines, and earlier ones that are not empty.
    var running: [UnsafeMutablePointer<RunningPipeline>] = []
    /// By lane; nil where packets pass at once.
    var current:
        (
            UnsafeMutablePointer<RunningPipeline>?, UnsafeMutablePointer<RunningPipeline>?,
            UnsafeMutablePointer<RunningPipeline>?
        ) = (nil, nil, nil)
    var hasQueryLane = false
    /// The number of the pipeline that came last.
    var generation: UInt16 = 0
    /// When the timer fires; `.max` for never.
    private var armed = Int64.max

    init(
        _ inputs: [PumpInput],
        _ configuration: PumpConfiguration,
        _ mailbox: PumpMailbox,
        _ page: CounterPage,
        _ log: PacketLog?
    ) throws(PumpError) {
        guard (1...Self.mostInputs).contains(inputs.count) else { throw .inputs }
        guard var pool = FramePool(bytes: configuration.memory) else { throw .memory }
        guard let slots = WireSlots(capacity: configuration.maximumHeld * 4) else { throw .memory }
        guard let reading = pool.allocate(FramePool.largestBlock) else { throw .memory }
        let poller = lc_open_poller()
        let timer = lc_open_timer()
        guard poller >= 0, timer >= 0 else { throw .descriptors(-min(poller, timer)) }
        self.init(
            pool: pool,
            slots: slots,
            reading: StoredFrame(reading),
            poller: poller,
            timer: timer,
            inputs,
            configuration,
            mailbox,
            page,
            log
        )
    }

    private init(
        pool: consuming FramePool,
        slots: consuming WireSlots,
        reading: StoredFrame,
        poller: Int32,
        timer: Int32,
        _ inputs: [PumpInput],
        _ configuration: PumpConfiguration,
        _ mailbox: PumpMailbox,
        _ page: CounterPage,
        _ log: PacketLog?
    ) {
        self.pool = pool
        self.slots = slots
        self.reading = reading
        self.poller = poller
        self.timer = timer
        self.mailbox = mailbox
        self.page = page
        self.log = log
        flows = FlowTable(capacity: configuration.flows, ephemeralPorts: configuration.ephemeralPorts)
        counters = .allocate(capacity: Lane.allCases.count)
        counters.initialize(repeating: LaneCounters(), count: Lane.allCases.count)
        inputCount = inputs.count
        self.inputs = .allocate(capacity: inputs.count)
        for (index, input) in inputs.enumerated() {
            let address = input.device.address.withUnsafeBytes {
                ($0.loadUnaligned(as: UInt32.self), $0.loadUnaligned(fromByteOffset: 4, as: UInt16.self))
            }
            (self.inputs + index).initialize(
                to: Input(descriptor: input.device.descriptor, traffic: input.traffic, address: address)
            )
            lc_watch(poller, input.device.descriptor, Int32(lc_readable), UInt64(index))
        }
        lc_watch(poller, timer, Int32(lc_readable), Self.timerKey)
        lc_watch(poller, mailbox.waker, Int32(lc_readable), Self.mailKey)
    }

    deinit {
        for pipeline in running { pipeline.destroy() }
        counters.deallocate()
        inputs.deallocate()
        close(timer)
        close(poller)
    }

    /// Serves until it is told to stop, or its last device has been deleted.
    mutating func run() {
        // 50 us by default: a pump would rarely be on time.
        lc_set_timer_slack(1)
        lc_set_slice(100_000)
        var isStopping = false
        while !isStopping, lostDevices < inputCount {
            var keys: UInt64 = 0
            _ = lc_wait_keys(poller, &keys, mayRest() ? -1 : 0)
            if keys & 1 << Self.timerKey != 0 {
                lc_clear_eventfd(timer)
                armed = .max
            }
            if keys & 1 << Self.mailKey != 0 { isStopping = readMail() }
            for index in 0..<inputCount where inputs[index].hasMore || keys & 1 << UInt64(index) != 0 { read(index) }
            depart()
            publish()
            settle()
        }
        abandon()
        publish()
    }

    /// A pass looks for mail and for frames at once: what was there before the mail is read in the second at the latest.
    private mutating func settle() {
        guard settling > 0 else { return }
        for index in 0..<inputCount where inputs[index].hasMore { return }
        settling -= 1
        if settling == 0 { mailbox.settle() }
    }

    private func publish() {
        page.publish(counters, memory: UInt64(pool.usedBytes), untouched: untouched, lostDevices: lostDevices)
    }

    /// Sets the timer to the next departure; false where there is no time to sleep.
    private mutating func mayRest() -> Bool {
        for index in 0..<inputCount where inputs[index].hasMore { return false }
        guard settling == 0 else { return false }
        var next = Int64.max
        for pipeline in running { next = min(next, pipeline.pointee.next) }
        if next != .max {
            let now = lc_monotonic_time()
            if next <= now + Self.spin { return false }
            next = max(next, now + Self.shortestRest)
        }
        if next != armed {
            lc_set_timer(timer, next == .max ? 0 : next)
            armed = next
        }
        return true
    }

    private mutating func read(_ index: Int) {
        let descriptor = inputs[index].descriptor
        let start = lc_monotonic_time()
        var now = start
        while true {
            let count = lc_read(descriptor, reading.header, UInt(StoredFrame.largestRead))
            guard count > VirtioHeader.size else {
                inputs[index].hasMore = false
                if count < 0, count != -Int(EAGAIN) { forget(index) }
                return
            }
            now = lc_monotonic_time()
            serve(count, index, now)
            if now - start > Self.readingTime {
                inputs[index].hasMore = true
                return
            }
        }
    }

    /// A device that somebody has deleted would be readable for ever: EBADFD.
    private mutating func forget(_ index: Int) {
        lc_unwatch(poller, inputs[index].descriptor)
        lostDevices += 1
    }

    private mutating func readMail() -> Bool {
        var letters = PumpMailbox.Letters()
        mailbox.take { letters = $0 }
        if let pipelines = letters.pipelines { use(pipelines) }
        if letters.isSettling { settling = 2 }
        return letters.isStopping
    }
}
