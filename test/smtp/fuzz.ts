// A fuzzer of the SMTP session: random and mutated sessions in random pieces. The session must not throw, must not
// depend on the pieces, must respect its limits, and must be ready for the next command.
import {
  type Reply,
  Session,
  type SessionEffects,
  type SessionPolicy,
} from "../../src/smtp/protocol/index.ts";
import { Random } from "../support/random.ts";

const POLICY: Omit<SessionPolicy, "tls" | "authRequired"> = {
  serverName: "mailkeep.test",
  mechanisms: ["PLAIN", "LOGIN", "CRAM-MD5"],
  maxMessageBytes: 500,
  maxRecipients: 3,
  maxCommandBytes: 100,
  maxFruitlessCommands: 5000,
  newChallenge: () => "<1@mailkeep.test>",
};

const LINES = [
  "EHLO x",
  "HELO x",
  "MAIL FROM:<a@b.example>",
  "MAIL FROM:<> SIZE=10 BODY=BINARYMIME",
  "MAIL FROM:<jürgen@b.example> SMTPUTF8 RET=FULL ENVID=x AUTH=<>",
  "RCPT TO:<c@d.example>",
  'RCPT TO:<"q\\"u o"@[IPv6:::1]> NOTIFY=NEVER ORCPT=rfc822;x',
  "DATA",
  ".",
  "..",
  "text",
  "",
  "RSET",
  "NOOP",
  "VRFY x",
  "HELP",
  "AUTH PLAIN AHVzZXIAcGFzcw==",
  "AUTH LOGIN",
  "AUTH CRAM-MD5",
  "*",
  "dXNlcg==",
  "STARTTLS",
  "QUIT",
  "BDAT 0 LAST",
  "BDAT 12\r\nhello\r\nworld",
  "BDAT 5 LAST\r\nhello",
  "BDAT 600\r\n",
  "x".repeat(120),
];
const LINE_ENDS = [
  "\r\n",
  "\r\n",
  "\r\n",
  "\r\n",
  "\n",
  "\r",
  "\r\r\n",
  "\n.\n",
  "\r\n.\n",
  "\n.\r\n",
  "\r\n.\r",
];
/** The start of most sessions, so that they get further than the first refusal. */
const MAIL = "EHLO x\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\n";
/** Ends an unfinished DATA or login. It also ends any chunk of `LINES`, because it is longer. */
const RESYNC = Buffer.from(`\r\n.\r\n*\r\n${"NOOP\r\n".repeat(200)}`);

export function randomSession(random: Random): Buffer {
  const parts: Buffer[] = random.below(3) > 0 ? [Buffer.from(MAIL)] : [];
  for (let count = random.below(25); count > 0; count--) {
    parts.push(Buffer.from(random.pick(LINES) + random.pick(LINE_ENDS)));
  }
  return mutate(Buffer.concat(parts), random);
}

function mutate(session: Buffer, random: Random): Buffer {
  let bytes = session;
  for (let count = random.below(4); count > 0; count--) {
    const at = random.below(bytes.length + 1);
    const cut = random.below(3) === 0 ? random.below(10) : 0;
    // No digits are inserted, because a larger BDAT size would rightly take in the rest.
    const inserted = Buffer.from(random.bytes(random.below(4)).filter((byte) => byte < 0x30 || byte > 0x39));
    bytes = Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + cut)]);
  }
  return bytes;
}

/** Watches a session: every begun message ends once, and nothing exceeds the limits. */
class Watcher implements SessionEffects {
  readonly log: string[] = [];
  readonly #random: Random | null;
  readonly #pending: (() => void)[] = [];
  readonly session: Session;
  #open = false;
  #bytes = 0;
  #held = 0;
  #asked = 0;

  /** With `random`, some outcomes come later, and the session is sometimes paused by `hold()`. */
  constructor(policy: SessionPolicy, random: Random | null) {
    this.#random = random;
    this.session = new Session(policy, this, false);
    this.session.greet();
  }

  feed(piece: Buffer): void {
    this.session.push(piece);
    while (this.session.readChunk());
    if (this.#random === null || this.#random.below(2) === 0) this.answerAll();
  }

  answerAll(): void {
    while (this.#pending.length > 0 || this.#held > 0) {
      this.#pending.shift()?.();
      if (this.#held === 0) continue;
      this.#held--;
      this.session.release();
    }
  }

  recordInput(verb: string | null, shown: string | number): void {
    this.log.push(`heard ${verb} ${shown}`);
  }

  /** Refuses every 13th request, however the input was cut into pieces. */
  refuse(stage: string): Reply | null {
    this.#asked++;
    return this.#asked % 13 === 0 ? { wire: `450 4.0.0 Not at ${stage}\r\n`, fruitless: false } : null;
  }

  reply({ wire }: Reply): void {
    if (!/^(?:\d{3}[ -][\x20-\x7e]*\r\n)+$/.test(wire)) throw new Error(`no reply: ${JSON.stringify(wire)}`);
    this.log.push(wire);
    this.#maybeHold();
  }

  begin({ sender, recipients }: { sender: string; recipients: readonly string[] }): void {
    if (this.#open) throw new Error("a message begins inside another");
    if (recipients.length === 0 || recipients.length > POLICY.maxRecipients) throw new Error("recipients");
    this.#open = true;
    this.#bytes = 0;
    this.log.push(`begin ${sender} ${recipients}`);
  }

  append(bytes: Buffer): void {
    if (!this.#open) throw new Error("bytes without a message");
    this.#bytes += bytes.length;
    if (this.#bytes > POLICY.maxMessageBytes) throw new Error("more bytes than the limit");
    const last = this.log.at(-1) ?? "";
    const text = bytes.toString("latin1");
    // Adjacent bytes are joined, because the pieces do not matter.
    if (last.startsWith("bytes ")) this.log[this.log.length - 1] = last + text;
    else if (text !== "") this.log.push(`bytes ${text}`);
    this.#maybeHold();
  }

  commit(): void {
    this.#end("commit");
    this.#answer(() => this.session.committed("ID"));
  }

  abort(): void {
    this.#end("abort");
    // How many bytes precede an abort depends on the pieces, but an aborted mail is not stored.
    if (this.log.at(-2)?.startsWith("bytes ")) this.log.splice(-2, 1);
  }

  authenticate(): void {
    this.log.push("authenticate");
    this.#answer(() => this.session.authenticated(true));
  }

  forgetLogin(): void {
    throw new Error("a login was refused");
  }

  startTls(): void {
    this.log.push("tls");
  }

  close(): void {
    this.log.push("close");
  }

  lost(): void {
    this.session.lost();
    if (this.#open) throw new Error("a message is left open");
  }

  #end(how: string): void {
    if (!this.#open) throw new Error(`${how} without a message`);
    this.#open = false;
    this.log.push(how);
  }

  #answer(answer: () => void): void {
    if (this.#random === null || this.#random.below(2) === 0) answer();
    else this.#pending.push(answer);
  }

  #maybeHold(): void {
    if (this.#random === null || this.#random.below(8) > 0) return;
    this.#held++;
    this.session.hold();
  }
}

export function fuzzOnce(seed: number): void {
  const random = new Random(seed);
  const policy: SessionPolicy = {
    ...POLICY,
    tls: random.pick(["unavailable", "unavailable", "offered", "required"]),
    authRequired: random.below(8) === 0,
  };
  const input = Buffer.concat([randomSession(random), RESYNC]);
  const whole = playWhole(policy, input);
  const pieces = playInPieces(policy, input, random);
  if (!Bun.deepEquals(whole, pieces)) throw new Error(`seed ${seed}: the cutting changes the effects`);
  const turnedAway = whole.includes("close") || whole.includes("tls");
  const lastReply = whole.findLast((entry) => /^\d{3} /.test(entry));
  if (!turnedAway && lastReply !== "250 2.0.0 Ok\r\n") throw new Error(`seed ${seed}: out of step`);
}

function playWhole(policy: SessionPolicy, input: Buffer): string[] {
  const watcher = new Watcher(policy, null);
  watcher.feed(Buffer.from(input));
  watcher.lost();
  return watcher.log;
}

function playInPieces(policy: SessionPolicy, input: Buffer, random: Random): string[] {
  const watcher = new Watcher(policy, random);
  const longest = random.pick([1, 3, 20, 500]);
  for (let at = 0; at < input.length; ) {
    const end = at + 1 + random.below(longest);
    watcher.feed(Buffer.from(input.subarray(at, end)));
    at = end;
  }
  watcher.answerAll();
  if (watcher.session.heldBytes > 0) throw new Error("bytes are left unread");
  watcher.lost();
  return watcher.log;
}
