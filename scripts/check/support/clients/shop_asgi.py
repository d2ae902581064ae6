# SPDX-License-Identifier: Apache-2.0
"""The server of scripts/check/clients for HTTP/1, HTTP/2 and HTTP/3, for hypercorn."""

import os

with open(f"{os.environ['WORK']}/page", "rb") as file:
    PAGE = file.read()


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    length, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        length, more = length + len(message.get("body", b"")), message.get("more_body", False)
    body = PAGE if scope["method"] == "GET" else b"%d\n" % length
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200 if scope["method"] == "GET" else 201, "headers": headers})
    await send({"type": "http.response.body", "body": body})
