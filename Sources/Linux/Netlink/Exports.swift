// SPDX-License-Identifier: Apache-2.0

// Addresses are in every answer of this module.
@_exported public import InternetAddresses
