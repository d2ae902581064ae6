# SPDX-License-Identifier: Apache-2.0
"""An HTTP/3 client of aioquic that asks again and again over one connection: quic_session.py ORDER HOST PORT SECONDS"""

import asyncio
import os
import ssl
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "clients"))
from aioquic.asyncio.client import connect  # noqa: E402
from aioquic.h3.connection import H3_ALPN  # noqa: E402
from aioquic.quic.configuration import QuicConfiguration  # noqa: E402
from quic_client import HOST, PORT, Client  # noqa: E402


async def main():
    configuration = QuicConfiguration(is_client=True, alpn_protocols=H3_ALPN, verify_mode=ssl.CERT_NONE)
    end = time.monotonic() + float(sys.argv[4])
    async with connect(HOST, int(PORT), configuration=configuration, create_protocol=Client) as client:
        while time.monotonic() < end:
            await asyncio.wait_for(client.ask(b"GET", b"/page"), 10)
            await asyncio.sleep(0.2)


asyncio.run(main())
