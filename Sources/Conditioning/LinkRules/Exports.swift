// SPDX-License-Identifier: Apache-2.0

// Rules speak of addresses, protocols and profiles.
@_exported public import InternetAddresses
@_exported public import LinkProfiles
