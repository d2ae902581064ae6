// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkEmulation
internal import LinkProfiles
internal import LinkRules

/// The loop of the pump's thread: reads frames, passes them to pipelines, and delivers packets that are due.
///
/// No memory is allocated for a packet: frames are stored in the pool, and tables are made at the start. Only the
/// pipelines' buffers grow with the number of packets that they hold.
struct PumpLoop: ~Copyable {
    /// The poller's keys of the timer and of commands; the inputs' keys are their indexes.
    static let timerKey: UInt64 = 62
    static let commandKey: UInt64 = 63
    /// The largest number of inputs.
    static let mostInputs = 32
    /// The time to read frames before departures are checked again, in nanoseconds.
    private static let readingTime: Int64 = 100_000
    /// The time to a departure below which the loop does not sleep, in nanoseconds: sleeping would take longer.
    static let spin: Int64 = 4_000
    /// The shortest sleep in nanoseconds. On a fast link, packets are then delivered a few at a time, and the pump does
    /// not wake for each.
    static let shortestRest: Int64 = 30_000
    /// The longest time to read the frames that devices hold, in nanoseconds: a device's queue has a thousand.
    private static let longestSettling: Int64 = 500_000_000
    /// How often the watchdog is renewed, in nanoseconds.
    private static let renewalInterval = Int64(FilterWatchdog.interval / .nanoseconds(1))

    struct Input {
        let descriptor: Int32
        let traffic: Traffic
        /// The device's hardware address.
        let address: (UInt32, UInt16)
        /// Whether there may be more frames to read.
        var hasMore = false
    }

    let inputs: UnsafeMutablePointer<Input>
    let inputCount: Int
    let commands: PumpCommands
    let page: CounterPage
    var watchers: PacketWatchers
    /// By which filters notice that this loop has stopped; nil if they do not.
    private let watchdog: FilterWatchdog?
    /// When to renew it again.
    private var renewal = Int64.min
    let poller: Int32
    let timer: Int32
    let counters: UnsafeMutablePointer<LaneCounters>
    var untouched: UInt64 = 0
    /// Whether packets come faster than each can have a record.
    var isCrowded = false
    private var lostDevices: UInt64 = 0
    /// The number of further rounds in which all frames are read, until `PumpCommands.settle` is called.
    private var settling = 0
    /// When it is called at the latest.
    private var settlesBy = Int64.max
    var pool: FramePool
    var tags: PacketTags
    var flows: FlowTable
    var writer = FrameWriter()
    /// The block for the next read.
    var reading: StoredFrame
    /// The current pipelines, and earlier ones that are not empty.
    var running: [UnsafeMutablePointer<RunningPipeline>] = []
    /// The current pipelines by lane; nil for a lane without impairments.
    var current:
        (
            UnsafeMutablePointer<RunningPipeline>?, UnsafeMutablePointer<RunningPipeline>?,
            UnsafeMutablePointer<RunningPipeline>?
        ) = (nil, nil, nil)
    var hasQueryLane = false
    /// The number of the latest pipeline.
    var lastNumber: UInt16 = 0
    /// The time at which the timer expires; `.max` for never.
    private var armed = Int64.max

    init(
        inputs: [PumpInput],
        configuration: PumpConfiguration,
        commands: PumpCommands,
        page: CounterPage,
        watchers: PacketWatchers,
        watchdog: FilterWatchdog?
    ) throws(PumpError) {
        guard (1...Self.mostInputs).contains(inputs.count) else { throw .inputs }
        guard var pool = FramePool(bytes: configuration.memory) else { throw .memory }
        guard let tags = PacketTags(capacity: configuration.maximumHeld * 4) else { throw .memory }
        guard let reading = pool.allocate(FramePool.largestBlock) else { throw .memory }
        let poller = lc_open_poller()
        let timer = lc_open_timer()
        guard poller >= 0, timer >= 0 else { throw .descriptors(-min(poller, timer)) }
        self.init(
            pool: pool,
            tags: tags,
            reading: StoredFrame(reading),
            poller: poller,
            timer: timer,
            inputs: inputs,
            configuration: configuration,
            commands: commands,
            page: page,
            watchers: watchers,
            watchdog: watchdog
        )
    }

    private init(
        pool: consuming FramePool,
        tags: consuming PacketTags,
        reading: StoredFrame,
        poller: Int32,
        timer: Int32,
        inputs: [PumpInput],
        configuration: PumpConfiguration,
        commands: PumpCommands,
        page: CounterPage,
        watchers: PacketWatchers,
        watchdog: FilterWatchdog?
    ) {
        self.pool = pool
        self.tags = tags
        self.reading = reading
        self.poller = poller
        self.timer = timer
        self.commands = commands
        self.page = page
        self.watchers = watchers
        self.watchdog = watchdog
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
        lc_watch(poller, commands.wakeup, Int32(lc_readable), Self.commandKey)
    }

    deinit {
        for pipeline in running { pipeline.destroy() }
        counters.deallocate()
        inputs.deallocate()
        close(timer)
        close(poller)
    }

    /// Runs until the pump is stopped or its last device has been deleted.
    mutating func run() {
        // The default slack is 50 us, which would delay most packets.
        lc_set_timer_slack(1)
        lc_set_slice(100_000)
        // A pump without packets renews, too: its filters may have seen one that came to nothing.
        let longestRest: Int32 = watchdog == nil ? -1 : Int32(Self.renewalInterval / 1_000_000)
        var isStopping = false
        while !isStopping, lostDevices < inputCount {
            var keys: UInt64 = 0
            _ = lc_wait_keys(poller, &keys, mayRest() ? longestRest : 0)
            if keys & 1 << Self.timerKey != 0 {
                lc_clear_eventfd(timer)
                armed = .max
            }
            if keys & 1 << Self.commandKey != 0 { isStopping = carryOutCommands() }
            for index in 0..<inputCount where inputs[index].hasMore || keys & 1 << UInt64(index) != 0 { read(index) }
            deliverDue()
            publish()
            renewWatchdog()
            settle()
        }
        dropAllQueued()
        publish()
    }

    /// A round polls for commands and frames at once: frames that preceded a command are read in the second round at the
    /// latest. If frames come faster than they are read, there are always more; those of the command's time are read soon.
    private mutating func settle() {
        guard settling > 0 else { return }
        if lc_monotonic_time() < settlesBy {
            for index in 0..<inputCount where inputs[index].hasMore { return }
        }
        settling -= 1
        if settling == 0 { commands.settle() }
    }

    private mutating func renewWatchdog() {
        guard let watchdog else { return }
        let now = lc_monotonic_time()
        guard now >= renewal else { return }
        watchdog.renew()
        renewal = now + Self.renewalInterval
    }

    private func publish() {
        page.publish(counters, memory: UInt64(pool.usedBytes), untouched: untouched, lostDevices: lostDevices)
    }

    /// Sets the timer to the next departure; false if there is no time to sleep.
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
            receive(count, index, now)
            if now - start > Self.readingTime {
                inputs[index].hasMore = true
                return
            }
        }
    }

    /// Stops polling a deleted device, which is readable forever and returns EBADFD.
    private mutating func forget(_ index: Int) {
        lc_unwatch(poller, inputs[index].descriptor)
        lostDevices += 1
    }

    /// Carries out commands; returns whether to stop.
    private mutating func carryOutCommands() -> Bool {
        let contents = commands.take()
        if let pipelines = contents.pipelines { use(pipelines) }
        if let recorder = contents.recorder { watchers = PacketWatchers(log: watchers.log, capture: recorder) }
        if contents.isSettling {
            settling = 2
            settlesBy = lc_monotonic_time() + Self.longestSettling
        } else {
            contents.complete()
        }
        return contents.isStopping
    }
}
