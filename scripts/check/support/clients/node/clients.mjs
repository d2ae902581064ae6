// SPDX-License-Identifier: Apache-2.0
// node's clients of scripts/check/clients: clients.mjs CLIENT URL ORDER
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import http from "node:http";
import http2 from "node:http2";

const [client, url, place] = process.argv.slice(2);
const order = readFileSync(place);

function ask(agent, method, path, body) {
  return new Promise((resolve, reject) => {
    const request = http.request(url + path, { agent, method }, (answer) => {
      answer.resume();
      answer.on("end", resolve);
      answer.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

function stream(session, fields, body) {
  return new Promise((resolve, reject) => {
    const one = session.request(fields);
    one.on("error", reject);
    one.on("close", resolve);
    one.resume();
    one.end(body);
  });
}

const clients = {
  async http() {
    const agent = new http.Agent({ keepAlive: true });
    await ask(agent, "GET", "/page");
    await ask(agent, "POST", "/orders", order);
    agent.destroy();
  },
  async fetch() {
    await (await fetch(url + "/page")).text();
    await (await fetch(url + "/orders", { method: "POST", body: order })).text();
  },
  async http2() {
    const session = http2.connect(url, { rejectUnauthorized: false });
    const failed = new Promise((_, reject) => session.on("error", reject));
    await Promise.race([failed, stream(session, { ":path": "/page" })]);
    await Promise.race([failed, stream(session, { ":path": "/orders", ":method": "POST" }, order)]);
    session.close();
  },
  async ws() {
    const WebSocket = createRequire(import.meta.url)("/usr/share/nodejs/ws");
    await new Promise((resolve, reject) => {
      const socket = new WebSocket(url);
      socket.on("open", () => socket.send(order));
      socket.on("message", () => socket.close());
      socket.on("close", resolve);
      socket.on("error", reject);
    });
  },
};
clients[client]().catch((error) => {
  console.error(String(error), String(error.cause ?? ""));
  process.exit(1);
});
