// HTTPS with a self-signed certificate, and with one from files that may be renewed while the server runs.
import { expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { createSelfSignedCertificate, type TlsKeyPair } from "../../src/smtp/index.ts";
import { useFolders } from "../support/folders.ts";
import { runMailkeep, startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";
import { until } from "../support/until.ts";

const freshFolder = useFolders();
const portOf = (url: string) => Number(new URL(url).port);

function servedCertificate(port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
    resolve(new X509Certificate(socket.getPeerCertificate().raw).serialNumber);
    socket.destroy();
  });
  socket.on("error", reject);
  return promise;
}

test("a certificate made at start serves page, API and WebSocket, and the commands find it", async () => {
  await using server = await startMailkeep({ args: ["--http-tls=self-signed"] });
  expect(server.http).toStartWith("https://127.0.0.1:");
  const tls = { rejectUnauthorized: false };
  expect((await fetch(`${server.http}/api/v1/info`, { tls })).status).toBe(200);
  await expect(fetch(`${server.http}/api/v1/info`)).rejects.toThrow("self signed certificate");
  const socket = new WebSocket(`${server.http.replace("https", "wss")}/api/v1/ws`, { tls } as never);
  const frame = new Promise((resolve) => {
    socket.onmessage = ({ data }) => resolve(JSON.parse(data).type);
  });
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  await deliver(server.smtpPort, { raw: "Subject: x\r\n\r\n" });
  expect(await frame).toBe("message:new");
  socket.close();
  const environment = { MAILKEEP_HTTP_TLS: "self-signed", MAILKEEP_HTTP_PORT: String(portOf(server.http)) };
  expect(await runMailkeep(["health"], { environment })).toEqual({ code: 0, out: "ok\n", err: "" });
});

test("renewed files are picked up when they fit together, and requests go on", async () => {
  const folder = freshFolder();
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const newPair = () => createSelfSignedCertificate({ hosts: [], now: new Date() });
  const write = (path: string, text: string) => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  const serialOf = (pair: TlsKeyPair) => new X509Certificate(pair.cert).serialNumber;
  const [first, second] = [newPair(), newPair()];
  write(cert, first.cert);
  write(key, first.key);
  await using server = await startMailkeep({ args: [`--http-tls-cert=${cert}`, `--http-tls-key=${key}`] });
  const port = portOf(server.http);
  expect(await servedCertificate(port)).toBe(serialOf(first));
  const tls = { rejectUnauthorized: false };
  const waiting = fetch(`${server.http}/api/v1/messages/wait?timeout=5m`, { tls });
  write(cert, second.cert);
  await server.line((line) => line.includes('"certificate not renewed"'));
  expect(await servedCertificate(port)).toBe(serialOf(first));
  write(key, second.key);
  await server.line((line) => line.includes('"certificate renewed"'));
  await until(async () => (await servedCertificate(port)) === serialOf(second), "the new certificate");
  await deliver(server.smtpPort, { raw: "Subject: x\r\n\r\n" });
  expect((await waiting).status).toBe(200);
});
