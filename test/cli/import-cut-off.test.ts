import { afterEach, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server } from "node:net";
import { mailkeepCommand, startMailkeep } from "../support/mailkeep.ts";
import { runCommand } from "../support/run-command.ts";
import { until } from "../support/until.ts";

let server: Server | undefined;
afterEach(() => server?.close());

/** Accepts two mails and disappears during the third. */
async function startMortal(): Promise<number> {
  let mails = 0;
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write("220 hello\r\n");
    socket.on("data", (chunk) => {
      const text = String(chunk);
      if (text.startsWith("MAIL") && mails === 2) {
        server?.close();
        socket.destroy();
      } else if (text.startsWith("DATA")) socket.write("354 go\r\n");
      else {
        if (text.endsWith("\r\n.\r\n")) mails++;
        socket.write("250 ok\r\n");
      }
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Accepts all mails. */
async function startPatient() {
  const sessions: string[][] = [];
  server = createServer((socket) => {
    const commands: string[] = [];
    sessions.push(commands);
    let isData = false;
    socket.on("error", () => {});
    socket.write("220 hello\r\n");
    socket.on("data", (chunk) => {
      for (const line of String(chunk).split("\r\n").filter(Boolean)) {
        if (isData && line !== ".") continue;
        commands.push(line);
        isData = line === "DATA";
        socket.write(isData ? "354 go\r\n" : "250 ok\r\n");
      }
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, sessions };
}

const MBOX_MAIL = "From a@x.test Tue Nov 17 10:00:00 2026\nTo: b@x.test\n\nx\n\n";

const importMails = (count: number, port: number) => importMbox(MBOX_MAIL.repeat(count), port);

const importMbox = (input: string, port: number, ...flags: string[]) =>
  runCommand(["import", "--smtp", `127.0.0.1:${port}`, ...flags, "-"], { input });

test("an import that loses its server says how many mails were imported", async () => {
  const { code, out, err } = await importMails(4, await startMortal());
  expect({ code, out }).toEqual({ code: 3, out: "2 mails imported before that\n" });
  expect(err).toMatch(/^mailkeep: 127\.0\.0\.1:\d+: /m);
});

test("an import that Ctrl+C ends says how many mails were imported", async () => {
  const { port, sessions } = await startPatient();
  const child = Bun.spawn(mailkeepCommand(["import", "--smtp", `127.0.0.1:${port}`, "-"]), {
    stdio: [new Blob([MBOX_MAIL.repeat(2000)]), "pipe", "ignore"],
  });
  await until(() => sessions.flat().filter((command) => command === ".").length > 1, "two mails");
  child.kill("SIGINT");
  expect(await child.exited).toBe(130);
  const out = await new Response(child.stdout).text();
  expect(out).toMatch(/^\d+ mails imported before SIGINT stopped it\n$/);
});

test("the progress ends at 100 %", async () => {
  const { err } = await importMails(7, (await startPatient()).port);
  expect(err).toEndWith("importing: 100 %  7 mails\n");
});

test("--skip-known imports a mail whose Message-ID has too many words for a search", async () => {
  await using mailkeep = await startMailkeep();
  const id = `<${Array.from({ length: 60 }, (_, n) => `part${n}`).join(".")}@x.test>`;
  const box = MBOX_MAIL.replace("\nTo:", `\nMessage-ID: ${id}\nTo:`) + MBOX_MAIL;
  const { code, out } = await importMbox(box, mailkeep.smtpPort, "--skip-known", "--url", mailkeep.http);
  expect({ code, out: out.split(" (")[0] }).toEqual({ code: 0, out: "2 mails imported" });
});

test("--skip-known leaves out a mail whose Message-ID is there, not one whose id only begins like it", async () => {
  await using mailkeep = await startMailkeep();
  const boxOf = (ids: readonly string[]) =>
    ids.map((id) => MBOX_MAIL.replace("\nTo:", `\n${id && `Message-ID: ${id}\n`}To:`)).join("");
  const skipKnown = (ids: readonly string[]) =>
    importMbox(boxOf(ids), mailkeep.smtpPort, "--skip-known", "--url", mailkeep.http);
  const known = [
    "<one@x.test>",
    "<two@x.test.example>",
    '<"a b"@x.test>',
    '<"c\\"d"@x.test>',
    "<jörg@x.test>",
  ];
  expect((await skipKnown(known)).out).toStartWith("5 mails imported (");
  const { code, out } = await skipKnown([...known, "<two@x.test>", "<>", ""]);
  expect({ code, out: out.split(" (")[0] }).toEqual({ code: 0, out: "3 mails imported, 5 known already" });
});
