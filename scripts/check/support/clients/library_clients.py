# SPDX-License-Identifier: Apache-2.0
"""Python's HTTP clients of scripts/check/clients: library_clients.py CLIENT URL ORDER

Each fetches a page and then posts an order. Without arguments that say otherwise, a library's own defaults hold."""

import sys


def with_urllib3(**options):
    import urllib3

    pool = urllib3.PoolManager(**options)
    yield lambda method, url, body: pool.request(method, url, body=body).status


def with_httpx(retries=0):
    import httpx

    with httpx.Client(transport=httpx.HTTPTransport(retries=retries)) as client:
        yield lambda method, url, body: client.request(method, url, content=body).status_code


def of_urllib3_retry():
    from urllib3.util import Retry

    yield from with_urllib3(timeout=5, retries=Retry(5, backoff_factor=0.5))


def of_aiohttp():
    import asyncio

    import aiohttp

    async def all_of_it(url, order):
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{url}/page") as answer:
                await answer.read()
            async with session.post(f"{url}/orders", data=order) as answer:
                await answer.read()

    asyncio.run(all_of_it(url, order))


client, url, place = sys.argv[1:]
with open(place, "rb") as file:
    order = file.read()
clients = {
    "urllib3": lambda: with_urllib3(retries=False),
    "urllib3-retry": of_urllib3_retry,
    "httpx": with_httpx,
    "httpx-retry": lambda: with_httpx(retries=5),
}
try:
    if client == "aiohttp":
        of_aiohttp()
    else:
        for request in clients[client]():
            request("GET", f"{url}/page", None)
            request("POST", f"{url}/orders", order)
except Exception as error:
    print(f"{type(error).__module__}.{type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(1)
