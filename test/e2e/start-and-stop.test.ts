import { describe, expect, test } from "bun:test";
import { stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { useFolders } from "../support/folders.ts";
import { total } from "../support/mailbox.ts";
import { runMailkeep, startMailkeep } from "../support/mailkeep.ts";
import { deliver, openSession, openSmtp } from "../support/smtp-client.ts";

const freshFolder = useFolders();
const FREE_PORTS = ["--smtp-port=0", "--http-port=0"];

describe("a start that cannot work ends with exit code 1 and one clear line", () => {
  test("a port is taken", async () => {
    await using other = await startMailkeep();
    const taken = [
      ["SMTP", "--smtp-port", other.smtpPort],
      ["HTTP", "--http-port", Number(new URL(other.http).port)],
      ["SMTPS", "--smtps-port", other.smtpPort],
    ] as const;
    for (const [name, flag, port] of taken) {
      const ports = FREE_PORTS.filter((free) => !free.startsWith(flag));
      const args = ["serve", "--ephemeral", "--smtp-tls=self-signed", ...ports, `${flag}=${port}`];
      expect(await runMailkeep(args)).toMatchObject({
        code: 1,
        err: `mailkeep: cannot listen on 127.0.0.1:${port} for ${name}: the port is in use; choose another with ${flag}\n`,
      });
    }
  });

  test("the host name is not known", async () => {
    const { code, err } = await runMailkeep(["serve", "--ephemeral", "--bind=nowhere.invalid"]);
    expect({ code, err }).toEqual({
      code: 1,
      err: "mailkeep: cannot listen on nowhere.invalid:1025 for SMTP: it is not an address of this machine; choose another with --bind\n",
    });
  });

  test("a port is taken, and the log says what was wrong with the stored mail", async () => {
    const dataDir = freshFolder();
    await using other = await startMailkeep({ dataDir });
    await deliver(other.smtpPort, { raw: "Subject: cut short\r\n\r\nbody\r\n" });
    await other.stop();
    const segment = join(dataDir, "log", "0000000001-0.seg");
    await truncate(segment, (await stat(segment)).size - 1);
    await using taken = await startMailkeep();
    const port = `--smtp-port=${taken.smtpPort}`;
    const { code, out } = await runMailkeep(["serve", port, "--http-port=0", "--data-dir", dataDir]);
    expect(code).toBe(1);
    expect(out).toContain('"unfinished record removed from the log"');
    expect(out).toContain('"log shorter than index"');
  });

  test("the data folder cannot be written", async () => {
    const blocker = join(freshFolder(), "file");
    await writeFile(blocker, "");
    const { code, err } = await runMailkeep(["serve", ...FREE_PORTS, "--data-dir", join(blocker, "data")]);
    expect(code).toBe(1);
    expect(err).toMatch(/^mailkeep: [^\n]*data[^\n]*\n$/);
  });

  test("another Mailkeep uses the data folder", async () => {
    const dataDir = freshFolder();
    await using first = await startMailkeep({ dataDir });
    expect(first.smtpPort).toBeGreaterThan(0);
    const { code, err } = await runMailkeep(["serve", ...FREE_PORTS, "--data-dir", dataDir]);
    expect(code).toBe(1);
    expect(err).toMatch(/^mailkeep: [^\n]*in use by another Mailkeep[^\n]*\n$/);
  });

  test.each([
    ["is missing", null],
    ["is no PEM", "nonsense"],
  ])("a certificate that %s", async (_name, content) => {
    const folder = freshFolder();
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    if (content !== null) await Promise.all([writeFile(cert, content), writeFile(key, content)]);
    const tls = ["--smtp-tls-cert", cert, "--smtp-tls-key", key];
    const { code, err } = await runMailkeep(["serve", "--ephemeral", ...FREE_PORTS, ...tls]);
    expect(code).toBe(1);
    expect(err).toMatch(/^mailkeep: [^\n]*certificate[^\n]*\n$/);
  });
});

test("--bind localhost listens on 127.0.0.1, also where localhost is an IPv6 address first", async () => {
  await using server = await startMailkeep({ args: ["--bind=localhost"] });
  const ready = JSON.parse(await server.line((line) => line.includes('"event":"ready"')));
  expect(ready).toMatchObject({ smtp: `127.0.0.1:${server.smtpPort}`, http: server.http });
  expect(server.http).toStartWith("http://127.0.0.1:");
  expect(await total(server.http)).toBe(0);
});

test("the lock ends with its process: after kill -9 the folder can be used again, with its mail", async () => {
  const dataDir = freshFolder();
  const first = await startMailkeep({ dataDir });
  const id = await deliver(first.smtpPort, { raw: "Subject: kept\r\n\r\nbody\r\n" });
  first.process.kill("SIGKILL");
  await first.process.exited;
  await using second = await startMailkeep({ dataDir });
  const response = await fetch(`${second.http}/api/v1/messages/${id}/raw`);
  expect(await response.text()).toBe("Subject: kept\r\n\r\nbody\r\n");
});

describe("a signal", () => {
  const isStopping = (line: string) => line.includes('"stopping"');
  const isStopped = (line: string) => line.includes('"stopped"');

  async function inTheMiddleOfAMail(port: number) {
    const sender = await openSession(port);
    await sender.command("MAIL FROM:<a@example.com>");
    await sender.command("RCPT TO:<b@example.com>");
    expect(await sender.command("DATA")).toStartWith("354");
    return sender;
  }

  test.each(["SIGTERM", "SIGINT"] as const)("%s ends an idle server with exit code 0", async (signal) => {
    await using server = await startMailkeep();
    server.process.kill(signal);
    expect(await server.process.exited).toBe(0);
  });

  const onLinux = test.skipIf(process.platform !== "linux");
  onLinux("SIGHUP does nothing to a server under nohup", async () => {
    await using server = await startMailkeep({ through: ["nohup"] });
    server.process.kill("SIGHUP");
    const client = await openSmtp(server.smtpPort);
    expect(await client.reply()).toStartWith("220");
    expect(await server.stop()).toBe(0);
    expect(server.lines.filter(isStopping)).toEqual([expect.stringContaining("SIGTERM")]);
  });

  test("SIGTERM lets a mail in flight finish, answers idle sessions 421 and takes no new ones", async () => {
    const dataDir = freshFolder();
    await using server = await startMailkeep({ dataDir });
    const idle = await openSmtp(server.smtpPort);
    await idle.reply();
    const sender = await inTheMiddleOfAMail(server.smtpPort);
    sender.write("Subject: in flight\r\n\r\nfirst half, ");

    server.process.kill("SIGTERM");
    expect(await idle.reply()).toStartWith("421");
    sender.write("second half\r\n.\r\n");
    expect(await sender.reply()).toStartWith("250");
    expect(await server.process.exited).toBe(0);

    await using again = await startMailkeep({ dataDir });
    expect(await total(again.http)).toBe(1);
  });

  onLinux.each([
    ["SIGINT", "SIGTERM"],
    ["SIGTERM", "SIGINT"],
  ] as const)(
    "%s and %s at once are one request to stop, and a mail in flight is finished",
    async (first, second) => {
      await using server = await startMailkeep();
      const sender = await inTheMiddleOfAMail(server.smtpPort);
      // SIGSTOP holds the process until both signals are pending, so it gets them together on any machine.
      for (const signal of ["SIGSTOP", first, second, "SIGCONT"] as const) server.process.kill(signal);
      await server.line(isStopping);
      sender.write("Subject: in flight\r\n\r\nbody\r\n.\r\n");
      expect(await sender.reply()).toStartWith("250");
      expect(await server.process.exited).toBe(0);
    },
  );

  test.each([
    ["SIGTERM", "SIGTERM"],
    ["SIGINT", "SIGINT"],
    ["SIGINT", "SIGTERM"],
    ["SIGTERM", "SIGINT"],
  ] as const)("%s and later %s ends at once", async (first, second) => {
    await using server = await startMailkeep();
    await inTheMiddleOfAMail(server.smtpPort);
    server.process.kill(first);
    await server.line(isStopping);
    // After this pause a second signal does not count as the same request to stop.
    await Bun.sleep(150);
    server.process.kill(second);
    expect(await server.process.exited).toBe(130);
    expect(server.lines.some(isStopped)).toBe(false);
  });
});
