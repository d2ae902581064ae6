// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkConditioning
import Netlink
import Testing

@Suite struct ConditioningErrorTests {
    @Test(
        arguments: [
            (EPERM, .notPermitted), (EACCES, .notPermitted), (ENODEV, .notFound), (ENOENT, .unsupported),
            (EOPNOTSUPP, .unsupported), (EAFNOSUPPORT, .unsupported), (EINVAL, .refused), (EBUSY, .refused),
        ] as [(CInt, ConditioningError.Code)]
    )
    func sortsTheKernelsRefusals(number: CInt, code: ConditioningError.Code) {
        let refusal = NetlinkError(operation: "add netem to lc2r1u", code: number, kernelText: "Because")
        let error = ConditioningError(refusal)
        #expect(error.code == code)
        #expect(error.message.hasPrefix("cannot add netem to lc2r1u: Because ("))
        #expect((error.remedy == nil) == (code == .refused))
    }

    @Test func saysWhatHappenedAndWhatBecameOfIt() {
        var error = ConditioningError(.refused, "cannot do it", remedy: "something else")
        error.aftermath = "everything is as it was before"
        #expect("\(error)" == "cannot do it\neverything is as it was before")
        #expect("\(ConditioningError(.refused, "cannot do it"))" == "cannot do it")
    }
}
