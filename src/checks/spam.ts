// The spam score of a real engine: SpamAssassin (the protocol of spamd) or Rspamd (its HTTP API).
import { connect } from "node:net";
import { unbracketed } from "../lib/hosts.ts";
import { systemReason } from "../lib/system-error.ts";
import { counted } from "../lib/text.ts";
import type { Check, CheckFinding } from "../model/index.ts";
import { concluded, quoted } from "./finding.ts";
import type { CheckInput } from "./mail.ts";

interface Symbols {
  readonly engine: string;
  readonly score: number;
  /** SpamAssassin: mail with this score is spam. Rspamd: mail with this score is refused. */
  readonly limit: number;
  readonly isSpam: boolean;
  readonly rules: readonly { readonly name: string; readonly points: number; readonly description: string }[];
}

const TIMEOUT_MS = 8000;
const TOO_LATE = `it took longer than ${TIMEOUT_MS / 1000} s`;
const MAX_ANSWER_BYTES = 1024 * 1024;
const SPAMD_PORT = 783;

export async function checkSpam({
  raw,
  engines: { spamassassin, rspamd },
}: Pick<CheckInput, "raw" | "engines">): Promise<Check> {
  const asked: Promise<Symbols>[] = [];
  if (spamassassin !== undefined) asked.push(askSpamd(spamassassin, raw));
  if (rspamd !== undefined) asked.push(askRspamd(rspamd, raw));
  const outcomes = await Promise.allSettled(asked);
  const answers = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
  const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? outcome.reason : []));
  const findings = [...failures.map(notAnswered), ...answers.flatMap(findingsOf)];
  const said = answers.map(({ engine, score, limit }) => `${engine}: ${score} of ${limit} points`).join("; ");
  const score = answers.length === 0 ? null : Math.max(...answers.map(({ score }) => score));
  return concluded("spam", findings, { said, score });
}

const finding = (
  severity: CheckFinding["severity"],
  rule: string,
  message: string,
  help: string,
): CheckFinding => ({ rule, severity, message, help, where: null });

const notAnswered = ({ message }: Error): CheckFinding =>
  finding("error", "no-answer", `${message}.`, "Start the spam filter, or correct its address.");

function findingsOf({ engine, score, limit, isSpam, rules }: Symbols): CheckFinding[] {
  const help = `See the documentation of ${engine} for this rule.`;
  const said = `${engine} takes the mail for spam: it has ${counted(score, "point")}, and the limit is ${limit}.`;
  const told = rules
    .filter(({ points }) => points !== 0)
    .toSorted((left, right) => right.points - left.points)
    .map(({ name, points, description }) => {
      const message = `${engine} gives ${counted(points, "point")}: ${description || name}.`;
      return { ...finding(points >= 1 ? "warning" : "info", name, message, help), points };
    });
  return !isSpam
    ? told
    : [finding("error", "spam", said, "Look at the rules with the most points."), ...told];
}

/** Sends REPORT to spamd. The answer has a score and a table of rules with their points. */
async function askSpamd(target: string, raw: Uint8Array): Promise<Symbols> {
  const [, host = target, port = SPAMD_PORT] = /^(\[.*\]|[^:]*):(\d+)$/.exec(target) ?? [];
  const answer = await converse(host, Number(port), [
    Buffer.from(`REPORT SPAMC/1.5\r\nContent-length: ${raw.length}\r\n\r\n`),
    raw,
  ]);
  const [, score, limit] = /^Spam:.*;\s*(-?[\d.]+)\s*\/\s*(-?[\d.]+)/im.exec(answer) ?? [];
  if (score === undefined) throw new Error(`SpamAssassin at ${target} answered ${quoted(answer)}`);
  // The preview of the mail comes before the table, and may look like a table.
  const table = answer.slice(Math.max(0, answer.lastIndexOf("\n---- -----")));
  const rows = table.matchAll(/^\s*(-?[\d.]+)\s+([A-Za-z]\w+)\s*(.*(?:\n {20,}.*)*)/gm);
  const rules = [...rows].map(([, points, name = "", description = ""]) => ({
    name,
    points: Number(points),
    description: description.replace(/\s+/g, " ").trim(),
  }));
  const isSpam = Number(score) >= Number(limit);
  return { engine: "SpamAssassin", score: Number(score), limit: Number(limit), isSpam, rules };
}

function converse(host: string, port: number, pieces: readonly Uint8Array[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: unbracketed(host), port }, () => {
    for (const piece of pieces) socket.write(piece);
    // Our side stays open: spamd closes the connection.
  });
  let answer = "";
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(TOO_LATE)));
  socket.on("data", (chunk: Buffer) => {
    answer += chunk.toString("utf8");
    if (answer.length > MAX_ANSWER_BYTES) socket.destroy();
  });
  socket.on("error", (error) =>
    reject(new Error(`SpamAssassin at ${host}:${port} did not answer: ${systemReason(error)}`)),
  );
  socket.on("close", () => resolve(answer));
  return promise;
}

async function askRspamd(url: string, raw: Uint8Array): Promise<Symbols> {
  const rspamd = `Rspamd at ${new URL(url).host}`;
  const response = await fetch(new URL("checkv2", url.endsWith("/") ? url : `${url}/`), {
    method: "POST",
    body: new Uint8Array(raw),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: Error) => {
    const reason = error.name === "TimeoutError" ? TOO_LATE : systemReason(error);
    throw new Error(`${rspamd} did not answer: ${reason}`);
  });
  if (!response.ok) throw new Error(`${rspamd} answered ${response.status}`);
  const answer = await response.json().catch(() => null);
  const { score, required_score, action, symbols } = Object(answer);
  if (typeof score !== "number") throw new Error(`${rspamd} answered without a score`);
  const rules = Object.values(Object(symbols)).map((symbol) => {
    const { name, score: points, description } = Object(symbol);
    return { name: String(name), points: Number(points), description: String(description ?? "") };
  });
  // Rspamd refuses a mail at the required score, but marks its header or subject at a lower score.
  const isSpam =
    score >= Number(required_score) || /^(?:add header|rewrite subject|reject)$/.test(String(action));
  return { engine: "Rspamd", score, limit: Number(required_score), isSpam, rules };
}
