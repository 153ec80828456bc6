import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createSelfSignedCertificate } from "../../src/smtp/index.ts";
import { tempFolder } from "../support/folders.ts";
import { type Running, runMailkeep, startMailkeep } from "../support/mailkeep.ts";
import { runCommand } from "../support/run-command.ts";

const { path: folder, remove } = tempFolder();
let server: Running;
beforeAll(async () => {
  server = await startMailkeep();
  await writeFile(join(folder, "text"), "no program");
  await writeFile(join(folder, "garbage"), "\0\x01", { mode: 0o755 });
  await writeFile(join(folder, "script"), "#!/nonexistent/interpreter\n", { mode: 0o755 });
});
afterAll(async () => {
  await server.stop();
  remove();
});

const unreachable = (url: string, reason: string) => ({
  code: 3,
  out: "",
  err: `✗ Mailkeep does not answer at ${url} (${reason}). Is it running, and is this its address?\n`,
});

test("the error for the address of the SMTP port says that the port does not speak HTTP", async () => {
  const url = `http://127.0.0.1:${server.smtpPort}`;
  expect(await runCommand(["assert", "--url", url])).toEqual(
    unreachable(url, "the server there does not speak HTTP"),
  );
});

test("a server that goes away during a wait is reported as a lost connection", async () => {
  using leaving = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => void socket.terminate() },
  });
  const url = `http://127.0.0.1:${leaving.port}`;
  expect(await runCommand(["wait", "--url", url])).toEqual(unreachable(url, "the connection was lost"));
});

/** A part of a host name has at most 63 characters, so no DNS server is asked for this one. */
const UNKNOWN = `${"x".repeat(64)}.invalid`;

test("commands that read mail report an unknown host name", async () => {
  const url = `http://${UNKNOWN}:8025`;
  expect(await runCommand(["assert", "--url", url])).toEqual(unreachable(url, "the host name is not known"));
});

test("commands that send mail report an unknown host name", async () => {
  expect(await runCommand(["send", "--smtp", `${UNKNOWN}:1025`, "ann@example.com"])).toEqual({
    code: 69,
    out: "",
    err: `mailkeep: ${UNKNOWN}:1025: the host name is not known\n`,
  });
});

describe("for a server behind a proxy whose certificate", () => {
  const tls = createSelfSignedCertificate({ hosts: [], now: new Date() });
  const proxy = (hostname: string) => Bun.serve({ hostname, port: 0, tls, fetch: () => new Response("") });
  // Runs a new process, because NODE_EXTRA_CA_CERTS is read only when a process starts.
  const asserting = (url: string, environment = {}) => runMailkeep(["assert", "--url", url], { environment });

  test("is not trusted, the error names NODE_EXTRA_CA_CERTS", async () => {
    await using unknown = proxy("127.0.0.1");
    const url = unknown.url.origin;
    const reason =
      "its certificate is not trusted; set NODE_EXTRA_CA_CERTS to a file with the certificate that signed it";
    expect(await asserting(url)).toEqual(unreachable(url, reason));
    await writeFile(join(folder, "ca.pem"), tls.cert);
    const { err } = await asserting(url, { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") });
    expect(err).toContain("answered with something that is not JSON");
  });

  // Linux answers at 127.0.0.2 without any setup; some other systems do not.
  test.skipIf(process.platform !== "linux")("is for another name, the error says so", async () => {
    await using other = proxy("127.0.0.2");
    const url = other.url.origin;
    await writeFile(join(folder, "ca.pem"), tls.cert);
    expect(await asserting(url, { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") })).toEqual(
      unreachable(url, "its certificate is for another name"),
    );
  });
});

describe("run", () => {
  test.each(["text", "garbage", "script", "."])(
    "a path that is not a program ends with 126: %s",
    async (name) => {
      const path = join(folder, name);
      expect(await runCommand(["run", "--quiet", "--", path])).toEqual({
        code: 126,
        out: "",
        err: expect.stringMatching(/^mailkeep: \S+: cannot be executed[^\n]*\n$/),
      });
    },
  );

  test("a command line in quotes ends with 127, and the error says how to give it", async () => {
    expect(await runCommand(["run", "--", "npm test"])).toEqual({
      code: 127,
      out: "",
      err: "mailkeep: npm test: command not found; do not put quotes around the whole command, or use sh -c\n",
    });
  });
});

test.each(["send", "import"])("the help of %s shows every form of --smtp", async (command) => {
  const { out } = await runCommand(["help", command]);
  expect(out.replace(/\s+/g, " ")).toMatch(
    /--smtp <host:port>.* smtp:\/\/user:password@host:port .*smtps:\/\/ /,
  );
});
