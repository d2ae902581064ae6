// SPDX-License-Identifier: Apache-2.0

// A program may import both: no name of one hides a name of the other.
import LinkConditionerTesting
import Reachability

/// Types whose names are near each other.
private typealias Names = (Verdict, PathVerdict, ClientExpectation, ConditionsMismatch)
