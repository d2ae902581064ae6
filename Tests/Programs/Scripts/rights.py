# SPDX-License-Identifier: Apache-2.0
# Shows what makes a program run with more than its caller's rights, or gives it CAP_NET_RAW: rights.py show|give PATH
import errno, os, struct, sys

action, path = sys.argv[1:]
name = "security.capability"
if action == "give":
    # struct vfs_cap_data, revision 2, with the effective bit: linux/capability.h.
    os.setxattr(path, name, struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0))
else:
    mode = os.stat(path).st_mode
    if mode & 0o4000:
        print("set-user-ID")
    if mode & 0o2000:
        print("set-group-ID")
    try:
        os.getxattr(path, name)
        print("capabilities")
    except OSError as error:
        if error.errno not in (errno.ENODATA, errno.ENOTSUP):
            raise
