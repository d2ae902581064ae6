// SPDX-License-Identifier: Apache-2.0

import Statistics
import Testing

@Suite struct ValueBucketsTests {
    /// Buckets follow each other without a gap, and are no wider than their share of what they hold.
    @Test(arguments: [1, 32, 128]) func divideAllNumbers(perDoubling: Int) {
        let buckets = ValueBuckets(perDoubling: perDoubling)
        var (bucket, start): (Int, UInt32) = (0, 0)
        while true {
            let end = buckets.largest(in: bucket)
            #expect(buckets.bucket(start) == bucket && buckets.bucket(end) == bucket)
            #expect(Int(end - start) * perDoubling <= Int(start))
            guard end < .max else { break }
            (bucket, start) = (bucket + 1, end + 1)
        }
        #expect(bucket == (33 - perDoubling.trailingZeroBitCount) * perDoubling - 1)
    }
}
