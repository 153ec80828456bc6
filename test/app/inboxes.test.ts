// Which mail goes into which inbox, and how long an inbox lasts.
import { afterEach, expect, test } from "bun:test";
import { type Arrival, Inboxes } from "../../src/app/index.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import type { DeclaredInbox } from "../../src/model/index.ts";
import { type Mailkeep, mail, startMailkeep } from "../http/support/mailkeep.ts";
import { until } from "../support/until.ts";

let mailkeep: Mailkeep;
afterEach(() => mailkeep.stop());

const start = async (declared: readonly DeclaredInbox[]) => {
  mailkeep = await startMailkeep({ declared });
};

/** Opens the inboxes of another node with the same log. */
function anotherNode(): Promise<Inboxes> {
  const { store, tokens, faults, transcripts } = mailkeep;
  const rest = { declared: [], now: () => new Date(), logger: silentLogger, retentionStarred: false };
  return Inboxes.open({ store, tokens, faults, transcripts, ...rest });
}

const DECLARED: DeclaredInbox[] = [
  { name: "shop", match: { user: "shop-*", recipient: "*@shop.test", header: "X-Project: shop" } },
  { name: "blog", match: { recipient: "*@blog.test" } },
  { name: "ci-42" },
];

const CASES: [string, Partial<Arrival>, headers: string[], inbox: string][] = [
  ["nothing", {}, [], "default"],
  ["the user of AUTH", { user: "ci-42" }, [], "ci-42"],
  ["a pattern of users", { user: "shop-app" }, [], "shop"],
  ["a user that is not an inbox", { user: "somebody" }, [], "default"],
  ["the port", { portInbox: "blog" }, [], "blog"],
  ["the domain of a recipient", { recipients: ["ann@SHOP.test"] }, [], "shop"],
  ["the second recipient", { recipients: ["ann@x.test", "bob@blog.test"] }, [], "blog"],
  ["a plus tag", { recipients: ["ann+CI-42@x.test"] }, [], "ci-42"],
  ["a plus tag that is not an inbox", { recipients: ["ann+ci@x.test"] }, [], "default"],
  ["the header that names it", {}, ["X-Mailkeep-Inbox: ci-42"], "ci-42"],
  ["a header that names none", {}, ["X-Mailkeep-Inbox: nothing"], "default"],
  ["a pattern of headers", {}, ["X-Project: shop"], "shop"],
  ["user before port", { user: "ci-42", portInbox: "blog" }, [], "ci-42"],
  ["port before recipient", { portInbox: "blog", recipients: ["ann@shop.test"] }, [], "blog"],
  ["recipient before header", { recipients: ["a@shop.test"] }, ["X-Mailkeep-Inbox: ci-42"], "shop"],
];

test("the first rule that matches decides", async () => {
  await start(DECLARED);
  for (const [what, arrival, headers, inbox] of CASES) {
    const draft = mailkeep.inbox.receive({ sender: "", recipients: ["ann@x.test"], ...arrival });
    for (const byte of Buffer.from(mail("x", "body", headers))) await draft.append(new Uint8Array([byte]));
    await draft.commit();
    expect([what, ...(await mailkeep.store.inboxes()).keys()]).toEqual([what, inbox]);
    await mailkeep.store.clear();
  }
});

test("an inbox keeps only as much as its limits allow, and other inboxes are unaffected", async () => {
  await start([
    { name: "small", max_messages: 2 },
    { name: "tiny", max_size: mail("0").length },
  ]);
  for (const n of [0, 1, 2, 3])
    for (const inbox of ["small", "tiny", "default"]) await mailkeep.receive(mail(`${n}`), { inbox });
  const counts = [...(await mailkeep.store.inboxes())].map(([name, { messages }]) => [name, messages]);
  expect(Object.fromEntries(counts)).toEqual({ small: 2, tiny: 1, default: 4 });
});

test("an inbox expires with its mail and its token, by the clock and not by the timer", async () => {
  let ms = Date.now();
  mailkeep = await startMailkeep({ now: () => new Date(ms) });
  const { token } = await mailkeep.inboxes.put("ci", {}, new Date(ms + 20));
  await mailkeep.receive(mail("x"), { inbox: "ci" });
  // The inbox's timer of 20 ms has fired when this sleep ends, but the clock `ms` stands still.
  await Bun.sleep(20);
  expect(await mailkeep.inboxes.has("ci")).toBe(true);
  ms += 20;
  await until(async () => !(await mailkeep.inboxes.has("ci")));
  expect(await mailkeep.store.count({})).toBe(0);
  expect(mailkeep.tokens.callerOf(token ?? "")).toBeNull();
});

test("rules of created inboxes are tried in the order of creation, also after a restart", async () => {
  let ms = Date.now();
  mailkeep = await startMailkeep({ now: () => new Date(ms++) });
  const settings = { match: { recipient: "*@shop.test" } };
  await mailkeep.inboxes.put("later-name", settings, null);
  await mailkeep.inboxes.put("a-name", settings, null);
  const restarted = await anotherNode();
  for (const one of [mailkeep.inboxes, restarted])
    expect(one.place({ recipients: ["ann@shop.test"] }, null)).toBe("later-name");
  await restarted.stop();
});

test("if two nodes create an inbox at the same instant, only one of them gets the token", async () => {
  await start([]);
  const other = await anotherNode();
  const opened = await Promise.all(
    [mailkeep.inboxes, other].map((node) => node.put("ci", {}, null, { mustBeNew: true })),
  );
  expect(opened.filter(({ token }) => token !== null)).toHaveLength(1);
  expect(mailkeep.tokens.list()).toHaveLength(1);
  await other.stop();
});
