// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// What a pump carries and what it has counted.
package struct PumpReport: Sendable {
    /// The conditions.
    package var profile: Profile
    /// Packets inside that came to the device at whose socket the pump was asked.
    package var held: UInt64
    /// The counters.
    package var counters: CounterPage.Reading
}
