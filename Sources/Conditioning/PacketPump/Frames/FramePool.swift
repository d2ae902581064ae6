// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// Memory for frames: blocks of a few sizes, cut from chunks of 1 MiB. Each chunk has blocks of one size at a time.
///
/// Address space is reserved for the whole pool. A chunk takes memory when its blocks are written, and releases it when
/// they are free. A pool belongs to one thread.
struct FramePool: ~Copyable {
    /// The sizes of blocks in bytes; the fourth holds a packet of 1514 bytes and its record. The largest holds any
    /// frame of a TAP device.
    private static let sizes: [Int] = [256, 512, 1024, 1664, 3072, 6144, 12_288, 24_576, 40_960, 69_632]
    /// Bytes of the largest block.
    static let largestBlock = 69_632
    static let chunkSize = 1 << 20
    /// The number of free chunks that keep their memory, so that a busy pump does not fault it in again.
    private static let keptChunks = 8
    private static let none: Int32 = -1

    private struct Chunk {
        var size = 0
        /// The number of blocks in use.
        var used = 0
        /// The number of blocks that have been used since the chunk got its size; the others are unwritten.
        var touched = 0
        /// The first of the freed blocks, which form a linked list.
        var free: UnsafeMutableRawPointer?
        /// The neighbours in the list of chunks of its size with free blocks, or in the list of free chunks.
        var previous = FramePool.none
        var next = FramePool.none
    }

    private let base: UnsafeMutableRawPointer
    private let chunks: UnsafeMutablePointer<Chunk>
    private let limit: Int
    /// The first chunk with free blocks, for each size.
    private let roomy: UnsafeMutablePointer<Int32>
    private let blockSizes: UnsafeMutablePointer<Int>
    private var firstFree = FramePool.none
    private var freeChunks = 0
    private var neverUsed = 0
    /// Bytes of chunks in use.
    private(set) var usedBytes = 0

    /// Reserves `bytes`, rounded up to whole chunks; nil if the address space is exhausted.
    init?(bytes: Int) {
        limit = max((bytes + Self.chunkSize - 1) >> 20, 2)
        guard let base = lc_reserve(UInt(limit << 20)) else { return nil }
        self.base = base
        chunks = .allocate(capacity: limit)
        chunks.initialize(repeating: Chunk(), count: limit)
        roomy = .allocate(capacity: Self.sizes.count)
        roomy.initialize(repeating: Self.none, count: Self.sizes.count)
        blockSizes = .allocate(capacity: Self.sizes.count)
        for (index, size) in Self.sizes.enumerated() { (blockSizes + index).initialize(to: size) }
    }

    deinit {
        lc_unreserve(base, UInt(limit << 20))
        chunks.deallocate()
        roomy.deallocate()
        blockSizes.deallocate()
    }

    /// Allocates a block of at least `bytes`; nil if the limit is reached. `bytes` must not exceed `largestBlock`.
    @inline(__always) mutating func allocate(_ bytes: Int) -> UnsafeMutableRawPointer? {
        precondition(bytes > 0 && bytes <= Self.largestBlock, "no block has this size")
        var size = 0
        while blockSizes[size] < bytes { size &+= 1 }
        var index = roomy[size]
        if index == Self.none {
            index = openChunk(size)
            if index == Self.none { return nil }
        }
        let chunk = chunks + Int(index)
        let blocks = Self.chunkSize / blockSizes[size]
        precondition(
            chunk.pointee.size == size && chunk.pointee.used < blocks,
            "a chunk without room, or of another size"
        )
        chunk.pointee.used &+= 1
        let block: UnsafeMutableRawPointer
        if let free = chunk.pointee.free {
            block = free
            chunk.pointee.free = free.load(as: UnsafeMutableRawPointer?.self)
        } else {
            block = base + (Int(index) << 20) + chunk.pointee.touched &* blockSizes[size]
            chunk.pointee.touched &+= 1
        }
        precondition(chunk.pointee.used <= chunk.pointee.touched, "a block is in use that was never given")
        if chunk.pointee.used == blocks { unlink(index) }
        return block
    }

    /// Releases a block.
    @inline(__always) mutating func release(_ block: UnsafeMutableRawPointer) {
        let offset = block - UnsafeMutableRawPointer(base)
        precondition(offset >= 0 && offset >> 20 < neverUsed, "a block of another pool")
        let index = Int32(offset >> 20)
        let chunk = chunks + Int(index)
        let size = chunk.pointee.size
        precondition(chunk.pointee.used > 0, "a block is released twice")
        assert((offset & (Self.chunkSize - 1)) % blockSizes[size] == 0, "no block begins here")
        if chunk.pointee.used == Self.chunkSize / blockSizes[size] { link(index, size) }
        block.storeBytes(of: chunk.pointee.free, as: UnsafeMutableRawPointer?.self)
        chunk.pointee.free = block
        chunk.pointee.used &-= 1
        if chunk.pointee.used == 0 { closeChunk(index) }
    }

    private mutating func openChunk(_ size: Int) -> Int32 {
        let index: Int32
        if firstFree != Self.none {
            index = firstFree
            firstFree = chunks[Int(index)].next
            freeChunks -= 1
        } else if neverUsed < limit {
            index = Int32(neverUsed)
            neverUsed += 1
        } else {
            return Self.none
        }
        precondition(chunks[Int(index)].used == 0, "a chunk in use was taken for a free one")
        chunks[Int(index)] = Chunk(size: size)
        usedBytes += Self.chunkSize
        link(index, size)
        return index
    }

    private mutating func closeChunk(_ index: Int32) {
        unlink(index)
        usedBytes -= Self.chunkSize
        precondition(usedBytes >= 0 && freeChunks < limit, "more chunks are free than there are")
        if freeChunks >= Self.keptChunks { lc_forget_pages(base + (Int(index) << 20), UInt(Self.chunkSize)) }
        chunks[Int(index)].next = firstFree
        firstFree = index
        freeChunks += 1
    }

    private func link(_ index: Int32, _ size: Int) {
        let first = roomy[size]
        chunks[Int(index)].previous = Self.none
        chunks[Int(index)].next = first
        if first != Self.none { chunks[Int(first)].previous = index }
        roomy[size] = index
    }

    private func unlink(_ index: Int32) {
        let chunk = chunks[Int(index)]
        if chunk.previous == Self.none {
            precondition(roomy[chunk.size] == index, "a chunk is unlinked twice")
            roomy[chunk.size] = chunk.next
        } else {
            chunks[Int(chunk.previous)].next = chunk.next
        }
        if chunk.next != Self.none { chunks[Int(chunk.next)].previous = chunk.previous }
    }
}
