// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The conditions and the counters of a pump.
package struct PumpReport: Sendable {
    /// The conditions.
    package var profile: Profile
    /// The number of packets that it holds from the TAP device of the socket.
    package var held: UInt64
    /// The counters.
    package var counters: CounterPage.Reading
}
