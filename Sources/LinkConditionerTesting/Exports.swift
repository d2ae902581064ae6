// SPDX-License-Identifier: Apache-2.0

// Tests name expectations and profiles.
@_exported public import ClientObservation
@_exported public import LinkProfiles
