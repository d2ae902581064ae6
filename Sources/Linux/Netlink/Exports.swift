// SPDX-License-Identifier: Apache-2.0

// The interfaces of this module use InternetAddresses' types.
@_exported public import InternetAddresses
