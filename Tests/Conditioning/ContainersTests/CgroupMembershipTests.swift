// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Containers

/// Whether a process can be that of a container, by the groups that engines make.
@Suite struct CgroupMembershipTests {
    private static let web = String(repeating: "5ca1ab1e", count: 8)
    private static let other = String(repeating: "0ddba115", count: 8)
    private static let late = String(repeating: "1a7e0000", count: 8)
    private static let none = CgroupMembership("0::/user.slice/user-1000.slice/session-2.scope")

    /// Of Docker with cgroupfs and systemd, version 1 and 2, rootless Podman, containerd, CRI-O; of a container in a container,
    /// of one with groups below its own, and as seen from another container.
    private static let paths = [
        "0::/docker/ID", "12:pids:/docker/ID\n1:name=systemd:/docker/ID\n0::/system.slice/containerd.service",
        "0::/system.slice/docker-ID.scope", "0::/docker/ID/init.scope", "0::/docker/\(other)/docker/ID",
        "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-ID.scope/container",
        "0::/machine.slice/machine-libpod_pod_\(other).slice/libpod-ID.scope", "0::/libpod_parent/libpod-ID",
        "0::/default/ID", "0::/kubepods/burstable/pod1b4e28ba-2fa1-11d2-883f-0016d3cca427/ID",
        "0::/kubepods.slice/kubepods-pod1b4e28ba_2fa1_11d2.slice/cri-containerd-ID.scope",
        "0::/kubepods.slice/crio-ID.scope",
        "4:memory:/system.slice:docker:ID", "0::/../docker-ID.scope",
    ]

    @Test(arguments: paths) func tellsOneContainerFromAnother(path: String) {
        let groups = CgroupMembership(path.replacing("ID", with: Self.web))
        #expect(groups.containers.contains(Self.web))
        #expect(groups.otherContainer(than: Self.web, own: Self.none) == nil)
        let later = CgroupMembership(path.replacing("ID", with: Self.late))
        #expect(later.otherContainer(than: Self.web, own: Self.none) == Self.late)
    }

    /// Without groups that engines make, as before Linux knew them, or of a runtime by hand.
    @Test(arguments: [
        "", "0::/", "0::/user.slice/session-1.scope", "0::/cafe-1", "4:memory:/jobs/01db4e23d1f49f0827d4cc8107f17364",
        "0::/docker/\(web)a", "nothing", "0::/x/\(web.uppercased())",
    ])
    func tellsNothingOfOtherGroups(path: String) {
        #expect(CgroupMembership(path).otherContainer(than: Self.web, own: Self.none) == nil)
    }

    /// A runtime's own name is no engine's ID, and its state tells the process's start.
    @Test func asksNothingOfANameThatWasGivenToARuntime() {
        #expect(CgroupMembership("0::/docker/\(Self.other)").otherContainer(than: "cafe-1", own: Self.none) == nil)
    }

    /// This process and the container's are in one container, whose groups the inner one has not left: podman
    /// --cgroups=disabled.
    @Test func ignoresTheGroupsOfItsOwnContainer() {
        let own = CgroupMembership("0::/docker/\(Self.other)")
        #expect(own.otherContainer(than: Self.web, own: own) == nil)
        let later = CgroupMembership("0::/docker/\(Self.other)/docker/\(Self.late)")
        #expect(later.otherContainer(than: Self.web, own: own) == Self.late)
    }
}
