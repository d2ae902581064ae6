// SPDX-License-Identifier: Apache-2.0

/// The recordings that a profile names, read.
public typealias Recordings = [TraceReference: Trace]
