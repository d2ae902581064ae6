# SPDX-License-Identifier: Apache-2.0
"""An HTTP/3 client of aioquic, of scripts/check/clients: quic_client.py ORDER [HOST PORT]"""

import asyncio
import ssl
import sys

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.quic.configuration import QuicConfiguration

HOST, PORT = sys.argv[2:4] or ("127.0.0.1", "8443")


class Client(QuicConnectionProtocol):
    def __init__(self, *words, **options):
        super().__init__(*words, **options)
        self.http, self.done = H3Connection(self._quic), {}

    async def ask(self, method, path, body=b""):
        stream = self._quic.get_next_available_stream_id()
        self.done[stream] = asyncio.get_running_loop().create_future()
        fields = [(b":method", method), (b":scheme", b"https"), (b":authority", f"{HOST}:{PORT}".encode()), (b":path", path)]
        self.http.send_headers(stream, fields, end_stream=not body)
        if body:
            self.http.send_data(stream, body, end_stream=True)
        self.transmit()
        await self.done[stream]

    def quic_event_received(self, event):
        for one in self.http.handle_event(event):
            if getattr(one, "stream_ended", False) and not self.done[one.stream_id].done():
                self.done[one.stream_id].set_result(None)


async def main():
    configuration = QuicConfiguration(is_client=True, alpn_protocols=H3_ALPN, verify_mode=ssl.CERT_NONE)
    async with connect(HOST, int(PORT), configuration=configuration, create_protocol=Client) as client:
        await asyncio.wait_for(client.ask(b"GET", b"/page"), 30)
        with open(sys.argv[1], "rb") as file:
            await asyncio.wait_for(client.ask(b"POST", b"/orders", file.read()), 30)


if __name__ == "__main__":
    asyncio.run(main())
