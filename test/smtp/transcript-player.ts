// Plays a transcript's bytes through a session in any pieces and records what the session does.
import type { Envelope } from "../../src/lib/smtp.ts";
import {
  type CommitFailure,
  type LoginAttempt,
  MECHANISMS,
  type Reply,
  Session,
  type SessionEffects,
  type SessionPolicy,
} from "../../src/smtp/protocol/index.ts";
import { escapeRaw } from "./transcript-reader.ts";

/** Whether the player answers a commit or a login at once, or only in `answerAll`. */
export type Answering = "at once" | "later";

export class Player implements SessionEffects {
  readonly session: Session;
  readonly #answering: Answering;
  readonly #commits: string[];
  readonly #logins: string[];
  #log: string[] = [];
  #pending: (() => void)[] = [];
  #envelope: Envelope | null = null;
  #chunks: Buffer[] = [];
  #kept = 0;

  constructor(settings: Readonly<Record<string, string>>, answering: Answering) {
    this.#answering = answering;
    this.#commits = (settings.commits ?? "").split(",");
    this.#logins = (settings.logins ?? "").split(",");
    this.session = new Session(policyFrom(settings), this, settings.secure === "yes");
    this.session.greet();
  }

  feed(bytes: Buffer): void {
    this.session.push(bytes);
    while (this.session.readChunk());
    this.answerAll();
  }

  answerAll(): void {
    for (let answer = this.#pending.shift(); answer; answer = this.#pending.shift()) answer();
  }

  takeLog(): string[] {
    const log = this.#log;
    this.#log = [];
    return log;
  }

  recordInput(): void {}

  refuse(): null {
    return null;
  }

  reply({ wire }: Reply): void {
    for (const line of wire.split("\r\n").slice(0, -1)) this.#log.push(`S: ${line}`);
  }

  begin(envelope: Envelope): void {
    this.#envelope = envelope;
    this.#chunks = [];
  }

  append(bytes: Buffer): void {
    this.#chunks.push(bytes);
  }

  commit(): void {
    const outcome = this.#commits.shift();
    if (outcome === "failed" || outcome === "full") {
      this.#answer(() => this.session.commitFailed(outcome satisfies CommitFailure));
      return;
    }
    const { sender, recipients } = this.#envelope ?? { sender: "?", recipients: [] };
    this.#log.push(`K: ${sender} -> ${recipients.join(", ")} "${escapeRaw(Buffer.concat(this.#chunks))}"`);
    this.#kept++;
    const id = `MAIL${this.#kept}`;
    this.#answer(() => this.session.committed(id));
  }

  abort(): void {
    this.#log.push("A: dropped");
  }

  authenticate(attempt: LoginAttempt): void {
    const accepted = this.#logins.shift() !== "fail";
    const shown = attempt.kind === "password" ? attempt.password : `${attempt.challenge} ${attempt.digest}`;
    this.#log.push(`A: login ${attempt.user} ${shown}`);
    this.#answer(() => this.session.authenticated(accepted));
  }

  forgetLogin(): void {}

  startTls(): void {
    this.#log.push("X: handshake");
  }

  close(): void {
    this.#log.push("X: closed");
  }

  #answer(answer: () => void): void {
    if (this.#answering === "at once") answer();
    else this.#pending.push(answer);
  }
}

function policyFrom(settings: Readonly<Record<string, string>>): SessionPolicy {
  const number = (name: string, fallback: number) => Number(settings[name] ?? fallback);
  return {
    serverName: "mailkeep.test",
    tls: (settings.tls ?? "unavailable") as SessionPolicy["tls"],
    authRequired: settings.auth === "required",
    mechanisms: MECHANISMS.filter((mechanism) => mechanism !== "CRAM-MD5" || settings.cram !== "no"),
    maxMessageBytes: number("maxMessageBytes", 1000),
    maxRecipients: number("maxRecipients", 10),
    maxCommandBytes: number("maxCommandBytes", 512),
    maxFruitlessCommands: number("maxFruitlessCommands", 50),
    newChallenge: () => "<1896.697170952@mailkeep.test>",
  };
}
