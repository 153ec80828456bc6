// Hostile SMTP clients against the real program: each is limited in memory and time, and others are still answered.
// The protocol itself, silent clients and bad handshakes are tested in test/smtp.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { canMeasure, residentMegabytes } from "../../../scripts/bench/process-usage.ts";
import { health, total } from "../../support/mailbox.ts";
import { type Running, startMailkeep } from "../../support/mailkeep.ts";
import { deliver } from "../../support/smtp-client.ts";
import { until } from "../../support/until.ts";
import { LONG_TURN_LIMIT_MS, useTurns } from "./support/turns.ts";

const MB = 1_000_000;
/** Memory usually grows by less than 100 MiB, but garbage collection is not predictable. */
const MAX_GROWTH_MIB = 300;

let server: Running;
/** A second server with short time-outs, which might cut off the clients of the other tests. */
let impatient: Running;
beforeAll(async () => {
  const args = ["--smtp-tls=self-signed", "--smtps-port=0"];
  server = await startMailkeep({ args, environment });
  impatient = await startMailkeep({
    args: [...args, "--smtp-idle-timeout=1s", "--smtp-message-timeout=2s"],
  });
});
afterAll(async () => {
  for (const each of [server, impatient]) {
    expect(await each.stop()).toBe(0);
    expect(each.lines.filter((line) => /unexpected|session failed/.test(line))).toEqual([]);
  }
});
const { environment, longestTurnMs } = useTurns();

/** Writes as fast as the server reads. Ends early when the server closes the connection. */
async function pour(socket: Socket, piece: Buffer, times: number): Promise<void> {
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  for (let sent = 0; sent < times && !socket.destroyed; sent++) {
    if (socket.write(piece)) continue;
    await Promise.race([new Promise<void>((resolve) => void socket.once("drain", () => resolve())), closed]);
  }
}

function open(port = server.smtpPort): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => resolve(socket.on("error", () => {})));
    socket.once("error", reject);
  });
}

const ENVELOPE = "EHLO x\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.com>\r\n";
const filled = (line: string) => Buffer.from(line.repeat(Math.ceil(100_000 / line.length)));

interface Attack {
  /** Sent once, before `piece` is sent `times` times. */
  readonly opening: string;
  readonly piece: Buffer;
  readonly times: number;
  readonly reads: boolean;
}

const ATTACKS: Record<string, Attack> = {
  "a command line of 100 MB": { opening: "", piece: Buffer.alloc(MB, "A"), times: 100, reads: true },
  "a million recipients": {
    opening: "EHLO x\r\nMAIL FROM:<a@example.com>\r\n",
    piece: filled("RCPT TO:<b@example.com>\r\n"),
    times: 250,
    reads: true,
  },
  "a million commands, pipelined, no reply read": {
    opening: "EHLO x\r\n",
    piece: filled("NOOP\r\n"),
    times: 60,
    reads: false,
  },
  "mails without end, pipelined, no reply read": {
    opening: "EHLO x\r\n",
    piece: filled(`${ENVELOPE}DATA\r\n.\r\n`),
    times: 30,
    reads: false,
  },
  "a header without end": {
    opening: `${ENVELOPE}DATA\r\nSubject: `,
    piece: Buffer.alloc(MB, "h"),
    times: 80,
    reads: true,
  },
  "headers without end": {
    opening: `${ENVELOPE}DATA\r\n`,
    piece: filled("X-Header: some value\r\n"),
    times: 600,
    reads: true,
  },
  "a line of a message without end": {
    opening: `${ENVELOPE}DATA\r\n\r\n`,
    piece: Buffer.alloc(MB, "."),
    times: 80,
    reads: true,
  },
  "a chunk that is too large by far": {
    opening: `${ENVELOPE}BDAT 99999999999999 LAST\r\n`,
    piece: Buffer.alloc(MB, "c"),
    times: 80,
    reads: true,
  },
  "a message in chunks of one byte": {
    opening: ENVELOPE,
    piece: filled("BDAT 1\r\nx"),
    times: 30,
    reads: true,
  },
  "empty chunks without end": { opening: ENVELOPE, piece: filled("BDAT 0\r\n"), times: 30, reads: true },
  "a message of nothing but stuffed dots": {
    opening: `${ENVELOPE}DATA\r\n`,
    piece: filled("..\r\n"),
    times: 300,
    reads: true,
  },
  "an AUTH exchange without end": {
    opening: "EHLO x\r\nAUTH LOGIN\r\n",
    piece: Buffer.alloc(MB, "A"),
    times: 50,
    reads: true,
  },
  "TLS records instead of commands": {
    opening: "",
    piece: Buffer.concat([Buffer.from([22, 3, 1, 2, 0, 1]), Buffer.alloc(100_000, 0xaa)]),
    times: 200,
    reads: true,
  },
};

describe.each(Object.entries(ATTACKS))("%s", (_, { opening, piece, times, reads }) => {
  test("is bounded in memory and time, and nobody else waits", async () => {
    const before = canMeasure ? residentMegabytes(server.process.pid) : 0;
    let highest = before;
    const watch = setInterval(() => {
      if (canMeasure) highest = Math.max(highest, residentMegabytes(server.process.pid));
    }, 10);
    const longest = await longestTurnMs(LONG_TURN_LIMIT_MS, async () => {
      const socket = await open();
      if (reads) socket.resume();
      socket.write(opening);
      // The server stops reading from a client that reads no replies, so this wait has a limit.
      await Promise.race([pour(socket, piece, times), reads ? new Promise(() => {}) : Bun.sleep(500)]);
      await deliver(server.smtpPort, { raw: "Subject: from somebody else\r\n\r\n" });
      socket.destroy();
    });
    clearInterval(watch);
    expect(longest).toBeLessThan(LONG_TURN_LIMIT_MS);
    expect(highest - before).toBeLessThan(MAX_GROWTH_MIB);
    expect(await health(server.http)).toBe("ok");
  });
});

describe("clients that send a byte now and then", () => {
  const STATES: Record<string, readonly [opening: string, byte: string]> = {
    "of a command": ["", "E"],
    "of a command, after EHLO": ["EHLO x\r\n", "N"],
    "of a recipient": ["EHLO x\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<", "b"],
    "of a message": [`${ENVELOPE}DATA\r\n`, "x"],
    "of a chunk": [`${ENVELOPE}BDAT 100000 LAST\r\n`, "x"],
    "of a login": ["EHLO x\r\nAUTH LOGIN\r\n", "A"],
    "of a handshake": ["EHLO x\r\nSTARTTLS\r\n", "\x16"],
  };

  test("are cut off in every state, and nothing of them is stored", async () => {
    const mails = await total(impatient.http);
    const clients = await Promise.all(
      Object.entries(STATES).map(async ([state, [opening, byte]]) => {
        const socket = await open(impatient.smtpPort);
        socket.resume();
        socket.write(opening);
        const dripping = setInterval(() => socket.write(byte), 100);
        socket.once("close", () => clearInterval(dripping));
        return { state, socket, dripping };
      }),
    );
    const left = () => clients.filter(({ socket }) => socket.readyState === "open").map(({ state }) => state);
    await until(() => left().length === 0, "all to be cut off").catch(() => {});
    for (const { socket, dripping } of clients) {
      clearInterval(dripping);
      socket.destroy();
    }
    expect(left()).toEqual([]);
    expect(await total(impatient.http)).toBe(mails);
  });
});
