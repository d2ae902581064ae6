# SPDX-License-Identifier: Apache-2.0
"""Python's HTTP clients of scripts/check/clients: http_clients.py CLIENT URL ORDER

Each fetches a page and then posts an order. Without arguments that say otherwise, a library's own defaults hold."""

import sys


def of_urllib():
    import urllib.request

    yield lambda method, url, body: urllib.request.urlopen(urllib.request.Request(url, body, method=method)).read()


def of_urllib3(**options):
    import urllib3

    pool = urllib3.PoolManager(**options)
    yield lambda method, url, body: pool.request(method, url, body=body).status


def of_urllib3_retry():
    from urllib3.util import Retry

    yield from of_urllib3(timeout=5, retries=Retry(5, backoff_factor=0.5))


def of_urllib3_pool():
    """Six requests in three threads, through a pool that keeps two connections."""
    from concurrent.futures import ThreadPoolExecutor

    import urllib3

    pool = urllib3.PoolManager(maxsize=2, block=True, retries=False)

    def several(method, url, body):
        with ThreadPoolExecutor(3) as threads:
            list(threads.map(lambda _: pool.request(method, url, body=body).status, range(3)))

    yield several


def of_requests():
    import requests

    with requests.Session() as session:
        yield lambda method, url, body: session.request(method, url, data=body).status_code


def of_httpx(retries=0, **options):
    import httpx

    with httpx.Client(transport=httpx.HTTPTransport(retries=retries, **options)) as client:
        yield lambda method, url, body: client.request(method, url, content=body).status_code


def of_aiohttp(url, order):
    import asyncio

    import aiohttp

    async def all_of_it():
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{url}/page") as answer:
                await answer.read()
            async with session.post(f"{url}/orders", data=order) as answer:
                await answer.read()

    asyncio.run(all_of_it())


client, url, place = sys.argv[1:]
with open(place, "rb") as file:
    order = file.read()
clients = {
    "urllib": of_urllib,
    "urllib3": lambda: of_urllib3(retries=False),
    "urllib3-retry": of_urllib3_retry,
    "urllib3-pool": of_urllib3_pool,
    "requests": of_requests,
    "httpx": of_httpx,
    "httpx-retry": lambda: of_httpx(retries=5),
    "httpx-http2": lambda: of_httpx(http2=True, verify=False),
}
try:
    if client == "aiohttp":
        of_aiohttp(url, order)
    else:
        for request in clients[client]():
            request("GET", f"{url}/page", None)
            request("POST", f"{url}/orders", order)
except Exception as error:
    print(f"{type(error).__module__}.{type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(1)
