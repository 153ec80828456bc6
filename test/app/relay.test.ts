// The relay against a real SMTP server with scripted answers: who gets which mail, and what is tried again.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { Deliveries, type RelayRules, relayTarget } from "../../src/app/index.ts";
import { mayReceive } from "../../src/app/release.ts";
import type { Store } from "../../src/store/index.ts";
import { type RecorderOptions, startSmtpRecorder } from "../http/support/smtp-recorder.ts";
import { mail, openMemory, put } from "../store/open.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { journalIn, type Saved } from "../support/journal.ts";
import { until } from "../support/until.ts";

let store: Store;
const closers: (() => Promise<void> | void)[] = [];
beforeEach(async () => {
  store = await openMemory();
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await store.close();
});

function startRecorder(options?: RecorderOptions) {
  const recorder = startSmtpRecorder(options);
  closers.push(recorder.stop);
  return recorder;
}

type Given = Partial<Pick<RelayRules, "allow" | "deny">> & {
  /** What an earlier journal saved. */
  readonly saved?: Saved;
  readonly retryMs?: readonly number[];
  readonly maxTries?: number;
  readonly login?: { readonly username: string; readonly password: string; readonly tls: "none" };
};

function startRelay(
  port: number,
  { allow = ["*"], deny = [], saved, login, retryMs = [1], maxTries = 300 }: Given = {},
) {
  const { logger, events } = collectingLogger("debug");
  const rules = { server: { host: "127.0.0.1", port, ...login }, allow, deny };
  const relay = new Deliveries({
    target: relayTarget({ rules, store, name: "mailkeep.test" }),
    filter: {},
    store,
    journal: journalIn(saved, 100),
    logger,
    now: () => new Date(0),
    newest: "",
    timing: { retryMs, maxTries, graceMs: 50 },
  });
  closers.push(() => relay.stop());
  const settled = async (id: string) => {
    await until(() => !["waiting", undefined].includes(relay.outcomeOf(id)?.status), "the outcome");
    return relay.outcomeOf(id);
  };
  return { relay, settled, events };
}

const to = (...recipients: string[]) => ({ recipients });
const envelopeIn = (commands: readonly string[]) => commands.filter((line) => /^(MAIL|RCPT)/.test(line));

test("a new mail is sent byte for byte to the recipients that the rules allow and do not deny", async () => {
  const recorder = startRecorder();
  const { relay, settled } = startRelay(recorder.port, { allow: ["*@Example.com"], deny: ["boss@*"] });
  const other = await put(store, mail("other"), to("ann@elsewhere.test", "boss@example.com"));
  const some = await put(
    store,
    mail("some", ".dot"),
    to("ANN@example.com", "boss@example.com", '"b\\oss"@example.com', "x@elsewhere.test"),
  );
  expect(await settled(some.id)).toEqual({
    id: some.id,
    at: "1970-01-01T00:00:00.000Z",
    status: "delivered",
    tries: 1,
    accepted: ["ANN@example.com"],
    rejected: [],
    response: "250 2.0.0 kept",
  });
  expect(envelopeIn(recorder.commands)).toEqual([
    "MAIL FROM:<alice@example.com>",
    "RCPT TO:<ANN@example.com>",
  ]);
  expect(recorder.received().map(String)).toEqual([mail("some", ".dot")]);
  expect(relay.outcomeOf(other.id)).toBeUndefined();
});

test("recipients that the server refuses are named, the others get the mail", async () => {
  const recorder = startRecorder({ answers: { "RCPT TO:<b@x.test>": "550 nobody" } });
  const { settled } = startRelay(recorder.port);
  const { id } = await put(store, mail("x"), to("a@x.test", "b@x.test"));
  expect(await settled(id)).toMatchObject({ accepted: ["a@x.test"], rejected: ["b@x.test"] });
});

test.each([
  [
    "that is refused for good is not tried again",
    { answers: { RCPT: "550 5.1.1 nobody here" } },
    "550 5.1.1 nobody here",
  ],
  ["that the server finds too big is not tried again", { extensions: ["SIZE 10"] }, "takes at most 10"],
])("a mail %s, and the next mail is sent", async (_, options, reason) => {
  const recorder = startRecorder(options);
  const { relay, settled } = startRelay(recorder.port);
  const { id } = await put(store, mail("one"));
  const next = await put(store, mail("two"));
  expect(await settled(id)).toMatchObject({
    status: "failed",
    reason: expect.stringContaining(reason),
    rejected: ["bob@example.com"],
  });
  await settled(next.id);
  expect(relay.state).toMatchObject({ failed: 2, delivered: 0, waiting: 0 });
});

test.each([
  ["boss@exämple.test", "boss@xn--exmple-cua.test"],
  ["boss@xn--exmple-cua.test", "boss@exämple.test"],
  ["*@exämple.test", "boss@exa\u0308mple.test"],
])("--relay-deny %s denies %s, too", (pattern, recipient) => {
  expect(mayReceive({ allow: ["*"], deny: [pattern] }, recipient)).toBe(false);
});

test("a mail that comes back again and again is given up as a loop, with a line in the log", async () => {
  const recorder = startRecorder();
  const { settled, events } = startRelay(recorder.port);
  for (let round = 0; round < 100; round++) {
    const { id } = await put(store, mail("round"));
    expect(await settled(id)).toMatchObject({ status: "delivered" });
  }
  const { id } = await put(store, mail("round"));
  expect(await settled(id)).toMatchObject({ status: "failed", reason: expect.stringMatching(/^mail loop/) });
  expect(events).toContain("relay gives up on a mail");
  const other = await put(store, mail("another"));
  expect(await settled(other.id)).toMatchObject({ status: "delivered" });
});

test("an address in UTF-8 is refused if the server has no SMTPUTF8, and the others get the mail", async () => {
  const recorder = startRecorder();
  const { settled } = startRelay(recorder.port);
  const some = await put(store, mail("x"), to("a@x.test", "ü@x.test"));
  expect(await settled(some.id)).toMatchObject({
    accepted: ["a@x.test"],
    rejected: ["ü@x.test"],
    reason: "ü@x.test: the server has no SMTPUTF8",
  });
  const none = await put(store, mail("y"), to("ü@x.test"));
  expect(await settled(none.id)).toMatchObject({
    status: "failed",
    rejected: ["ü@x.test"],
    reason: expect.stringContaining("the server has no SMTPUTF8, which <ü@x.test> needs"),
  });
});

test("a recipient that is refused for now is tried again alone", async () => {
  const answers: Record<string, string> = {
    "RCPT TO:<b@x.test>": "450 busy",
    "RCPT TO:<c@x.test>": "550 nobody",
  };
  const recorder = startRecorder({ answers });
  const { relay, settled } = startRelay(recorder.port, { retryMs: [1] });
  const { id } = await put(store, mail("x"), to("a@x.test", "b@x.test", "c@x.test"));
  await until(() => (relay.outcomeOf(id)?.tries ?? 0) > 2, "three tries");
  expect(relay.outcomeOf(id)).toMatchObject({
    status: "waiting",
    accepted: ["a@x.test"],
    rejected: ["c@x.test"],
    deferred: ["b@x.test"],
  });
  delete answers["RCPT TO:<b@x.test>"];
  expect(await settled(id)).toMatchObject({
    status: "delivered",
    accepted: ["a@x.test", "b@x.test"],
    rejected: ["c@x.test"],
    reason: "c@x.test: 550 nobody",
  });
  expect(relay.state.last_error?.reason).toContain("550 nobody");
  for (const recipient of ["a", "c"]) {
    expect(recorder.commands.filter((line) => line === `RCPT TO:<${recipient}@x.test>`).length).toBe(1);
  }
  expect(recorder.messages.length).toBe(2);
});

test("recipients that got the mail stay named if the server is gone at the last try", async () => {
  const recorder = startRecorder({ answers: { "RCPT TO:<b@x.test>": "450 busy" } });
  const { relay, settled } = startRelay(recorder.port, { retryMs: [1], maxTries: 50 });
  const { id } = await put(store, mail("x"), to("a@x.test", "b@x.test"));
  await until(() => relay.outcomeOf(id)?.deferred !== undefined, "the first try");
  recorder.stop();
  expect(await settled(id)).toMatchObject({
    status: "delivered",
    accepted: ["a@x.test"],
    rejected: ["b@x.test"],
  });
});

test("when all recipients are refused, only those refused with 4xx are tried again", async () => {
  const answers: Record<string, string> = {
    "RCPT TO:<a@x.test>": "550 nobody",
    "RCPT TO:<b@x.test>": "450 busy",
  };
  const recorder = startRecorder({ answers });
  const { relay, settled } = startRelay(recorder.port);
  const { id } = await put(store, mail("x"), to("a@x.test", "b@x.test"));
  await until(() => relay.outcomeOf(id)?.deferred !== undefined, "the first try");
  delete answers["RCPT TO:<b@x.test>"];
  expect(await settled(id)).toMatchObject({ accepted: ["b@x.test"], rejected: ["a@x.test"] });
});

test.each<[string, RecorderOptions]>([
  ["a recipient", { answers: { "RCPT TO:<a@x.test>": "450 busy" } }],
  ["the sender", { answers: { "MAIL FROM:<a@x.test>": "450 busy" } }],
])(
  "a mail of which %s is refused for now lets the next one pass, and survives a restart",
  async (_, options) => {
    const saved: Saved = new Map();
    const busy = startRecorder(options);
    const first = startRelay(busy.port, { saved, retryMs: [60_000] });
    const one = await put(store, mail("one"), { sender: "a@x.test", ...to("a@x.test", "A@x.test") });
    const two = await put(store, mail("two"));
    await first.settled(two.id);
    expect(first.relay.state).toMatchObject({ state: "retrying", waiting: 1, delivered: 1 });
    await first.relay.stop();
    const recorder = startRecorder();
    const second = startRelay(recorder.port, { saved });
    expect(await second.settled(one.id)).toMatchObject({ status: "delivered", tries: 2, rejected: [] });
    await second.relay.stop();
    const third = startRelay(recorder.port, { saved });
    const three = await put(store, mail("three"));
    await third.settled(three.id);
    expect(recorder.received().map(String)).toEqual([mail("one"), mail("three")]);
    expect(third.events).toEqual([]);
  },
);

test("a recipient that is refused for now at every try is rejected", async () => {
  const recorder = startRecorder({ answers: { "RCPT TO:<b@x.test>": "450 busy" } });
  const { settled } = startRelay(recorder.port, { maxTries: 2 });
  const { id } = await put(store, mail("x"), to("a@x.test", "b@x.test"));
  expect(await settled(id)).toMatchObject({
    status: "delivered",
    tries: 2,
    accepted: ["a@x.test"],
    rejected: ["b@x.test"],
  });
});

test.each<[string, RecorderOptions]>([
  ["refused for now", { answers: { RCPT: "450 4.2.1 come back" } }],
  ["at which the server hangs up", { hangUpAt: "DATA-END" }],
  ["for which the login is refused", { extensions: ["AUTH PLAIN"], answers: { AUTH: "535 wrong password" } }],
])("a mail %s waits", async (_, options) => {
  const recorder = startRecorder(options);
  const hellos = () => recorder.commands.filter((line) => line.startsWith("EHLO")).length;
  const login = { username: "me", password: "geheim", tls: "none" } as const;
  const { relay } = startRelay(recorder.port, { retryMs: [1, 1, 60_000], login });
  const { id } = await put(store, mail("one"));
  await until(() => relay.state.state === "retrying" && hellos() === 3, "three tries");
  const { last_error } = relay.state;
  expect(relay.outcomeOf(id)).toMatchObject({ status: "waiting", reason: last_error?.reason });
  expect(last_error?.reason).not.toContain("geheim");
});

test("waiting mail is sent once after a restart", async () => {
  const saved: Saved = new Map();
  const busy = startRecorder({ greeting: "421 busy" });
  const first = startRelay(busy.port, { saved, retryMs: [60_000] });
  const one = await put(store, mail("one"));
  await until(() => first.relay.state.state === "retrying", "the failure");
  await first.relay.stop();
  const recorder = startRecorder();
  const second = startRelay(recorder.port, { saved });
  expect(await second.settled(one.id)).toMatchObject({ status: "delivered" });
  await second.relay.stop();
  const third = startRelay(recorder.port, { saved });
  const two = await put(store, mail("two"));
  await third.settled(two.id);
  expect(recorder.received().map(String)).toEqual([mail("one"), mail("two")]);
  expect(third.relay.outcomeOf(one.id)).toMatchObject({ status: "delivered" });
});

test("a mail that is deleted while it waits is not sent", async () => {
  const busy = startRecorder({ greeting: "421 busy" });
  const { relay, settled, events } = startRelay(busy.port, { retryMs: [20] });
  const { id } = await put(store, mail("one"));
  await until(() => relay.state.last_error !== null, "the failure");
  await store.delete([id]);
  expect(await settled(id)).toMatchObject({ status: "skipped" });
  expect(events).toEqual(["relay fails", "relay skips a mail that was deleted before its turn"]);
});
