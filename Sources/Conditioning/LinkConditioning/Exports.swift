// SPDX-License-Identifier: Apache-2.0

// The API of this module uses the types of these modules: a program that imports it needs no other import.
@_exported public import LinkProfiles
@_exported public import LinkRules
