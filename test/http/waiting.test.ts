// Requests that wait for mail or assert counts react to events and never poll.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { Expectations } from "../../src/app/index.ts";
import { setCaller } from "../../src/http/caller.ts";
import type { Dependencies } from "../../src/http/modules/dependencies.ts";
import { RequestTimes } from "../../src/http/modules/metrics.ts";
import { testing } from "../../src/http/modules/testing.ts";
import { finishAnswer } from "../../src/http/plugins/answer.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { openMemory } from "../store/open.ts";
import { until } from "../support/until.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

let mailkeep: Mailkeep;
/** The number of listeners while nobody waits. */
let baseline: number;
beforeEach(async () => {
  mailkeep = await startMailkeep();
  baseline = mailkeep.listenerCount();
});
afterEach(() => mailkeep.stop());

const count = (query: string) => mailkeep.call(`/api/v1/assert/count${query}`);
const wait = (query: string, signal?: AbortSignal) =>
  mailkeep.call(`/api/v1/messages/wait${query}`, signal ? { signal } : {});

async function waiting() {
  await until(() => mailkeep.listenerCount() !== baseline);
}

async function nobodyWaits() {
  await until(() => mailkeep.listenerCount() === baseline);
}

describe("assert/count answers at once without a timeout", () => {
  beforeEach(async () => {
    await mailkeep.receive(mail("Welcome Alice"), {
      sender: "Shop@Example.com",
      recipients: ["alice@x.test"],
    });
    await mailkeep.receive(mail("welcome bob"), {
      sender: "shop@example.com",
      recipients: ["bob@x.test", "cc@x.test"],
    });
    await mailkeep.receive(mail("ÄRGER"), { sender: "", recipients: ["bob@x.test"] });
  });

  const passing: [string, number][] = [
    ["", 3],
    ["?subject=nothing", 0],
    ["?min=3", 3],
    ["?max=3", 3],
    ["?min=3&max=3", 3],
    ["?min=1&subject=WELCOME&recipient=alice", 1],
    ["?min=1&from=", 1],
    ["?min=2&to=BOB@x.test", 2],
  ];
  test("and is 200 if the number fits", async () => {
    for (const [query, matching] of passing) {
      const { status, json, headers } = await count(query);
      expect({ query, status, json }).toEqual({ query, status: 200, json: { ok: true, count: matching } });
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });

  test.each(["?to=", "?to=Bob+<bob@x.test>", "?to=bob@x.test%20", "?from=<shop@example.com>"])(
    "an assertion of no mail does not pass for an address that no mail can have: %s",
    async (query) => {
      const { status, json } = await count(`${query}&max=0`);
      expect({ status, code: json.code }).toEqual({ status: 400, code: "invalid_parameter" });
    },
  );

  const failing: [string, object][] = [
    ["?min=4", { count: 3, expected_min: 4, expected_max: null }],
    ["?max=2", { count: 3, expected_min: null, expected_max: 2 }],
    ["?min=2&max=1", { count: 3, expected_min: 2, expected_max: 1 }],
    ["?min=5&max=9&sender=shop", { count: 2, expected_min: 5, expected_max: 9 }],
  ];
  test("and is 417 if it does not", async () => {
    for (const [query, expected] of failing) {
      const { status, json } = await count(query);
      expect({ query, status, json }).toEqual({ query, status: 417, json: { ok: false, ...expected } });
    }
  });

  const wrong = [
    "?min=-1",
    "?max=-1",
    "?min=1.5",
    "?max=many",
    "?timeout=10",
    "?timeout=%201s",
    "?settle=1s%20",
    "?timeout=6m",
    "?settle=soon",
  ];
  test("and is 400 if a parameter is wrong", async () => {
    for (const query of wrong)
      expect({ query, status: (await count(query)).status }).toEqual({ query, status: 400 });
  });
});

describe("assert/count with a timeout", () => {
  test("answers as soon as the count holds", async () => {
    const answer = count("?min=2&to=a@x.test&timeout=30s");
    await waiting();
    await mailkeep.receive(mail("one"), { recipients: ["a@x.test"] });
    await mailkeep.receive(mail("other"), { recipients: ["b@x.test"] });
    await mailkeep.receive(mail("two"), { recipients: ["A@x.test"] });
    expect(await answer).toMatchObject({
      status: 200,
      json: { ok: true, count: 2, waited_ms: expect.any(Number) },
    });
    await nobodyWaits();
  });

  test("is 417 at once when it can never hold", async () => {
    await mailkeep.receive(mail("one"));
    expect(await count("?min=2&max=1&timeout=5m&settle=5m")).toMatchObject({
      status: 417,
      json: { ok: false, count: 1, expected_min: 2, expected_max: 1, waited_ms: expect.any(Number) },
    });
  });

  test("is 417 when the time is over, and names the newest mails that missed, and by which filter", async () => {
    const near = await mailkeep.receive(mail("Welcome"), { recipients: ["b@x.test"] });
    const far = await mailkeep.receive(mail("Bye"), { recipients: ["c@x.test"] });
    const { status, json } = await count("?min=1&to=a@x.test&subject=welcome&timeout=20ms");
    expect(status).toBe(417);
    expect(json).toMatchObject({ ok: false, count: 0, expected_min: 1, expected_max: null });
    expect(json.waited_ms).toBeGreaterThanOrEqual(15);
    expect(json.near_misses).toEqual([
      { message: far, missed_by: ["subject", "to"] },
      { message: near, missed_by: ["to"] },
    ]);
  });

  test("tells whether the envelope or the header did not match", async () => {
    const people = ["From: Shop <shop@example.com>", "To: Ann <ann@x.test>"];
    const message = await mailkeep.receive(mail("one", "x", people), { recipients: ["list@x.test"] });
    const filters = "to=ann@x.test&header_to=ann&header_from=bounce@x.test&q=is:starred";
    expect((await count(`?min=1&timeout=10ms&${filters}`)).json.near_misses).toEqual([
      { message, missed_by: ["q", "to", "header_from"] },
    ]);
  });

  test("names at most five mails, also for a search that they missed", async () => {
    for (let n = 0; n < 7; n++) await mailkeep.receive(mail(`mail ${n}`));
    const { json } = await count("?min=1&q=elephant&timeout=10ms");
    expect(json.near_misses).toHaveLength(5);
    expect(json.near_misses[0]).toMatchObject({ message: { subject: "mail 6" }, missed_by: ["q"] });
  });

  test("deletions count, too", async () => {
    const { id } = await mailkeep.receive(mail("one"));
    const answer = count("?max=0&timeout=30s");
    await waiting();
    await mailkeep.store.delete([id]);
    expect((await answer).json).toMatchObject({ ok: true, count: 0 });
  });

  test("a flag that makes a message match wakes the waiter", async () => {
    const { id } = await mailkeep.receive(mail("one"));
    const answer = count("?min=1&starred=true&timeout=30s");
    await waiting();
    await mailkeep.store.update([id], { is_starred: true });
    expect((await answer).json).toMatchObject({ ok: true, count: 1 });
  });

  test("with settle the count must stay true for that long", async () => {
    await mailkeep.receive(mail("one"));
    const { json } = await count("?min=1&max=1&settle=50ms");
    expect(json).toMatchObject({ ok: true, count: 1 });
    expect(json.waited_ms).toBeGreaterThanOrEqual(45);
  });

  test("with settle answers with the last count, not the one it began with", async () => {
    await mailkeep.receive(mail("one"));
    const answer = count("?min=1&settle=3s");
    await waiting();
    await mailkeep.receive(mail("two"));
    expect((await answer).json).toMatchObject({ ok: true, count: 2 });
  });

  test("a mail that comes while the count settles breaks it, even if it is counted only later", async () => {
    const answer = count("?max=0&subject=late&settle=3s");
    await waiting();
    const counted = mailkeep.store.count.bind(mailkeep.store);
    const settled = Promise.withResolvers<void>();
    mailkeep.store.count = async (filter) => {
      await settled.promise;
      return counted(filter);
    };
    await mailkeep.receive(mail("late"));
    expect((await wait("?subject=never&timeout=3100ms")).status).toBe(417);
    settled.resolve();
    expect(await answer).toMatchObject({ status: 417, json: { ok: false, count: 1 } });
  });

  test("a second mail while the count settles breaks it", async () => {
    await mailkeep.receive(mail("one"));
    const answer = count("?min=1&max=1&timeout=20ms&settle=10s");
    await waiting();
    // This takes 30 ms, so the first request is past its time-out of 20 ms and still settles.
    while ((await count("?min=9&timeout=30ms")).status !== 417);
    await mailkeep.receive(mail("two"));
    expect(await answer).toMatchObject({ status: 417, json: { ok: false, count: 2 } });
  });
});

describe("messages/wait", () => {
  test("answers with the whole oldest message that matches, even if it was there before", async () => {
    const oldest = await mailkeep.receive(mail("code 1", "Your code: 111222"), { recipients: ["a@x.test"] });
    await mailkeep.receive(mail("code 2"), { recipients: ["a@x.test"] });
    const { status, json, headers } = await wait("?to=a@x.test&timeout=5s");
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(json).toEqual({
      ...oldest,
      text_body: expect.stringContaining("Your code: 111222"),
      html_body: "",
    });
  });

  test("with the last seen mail as since, no mail is skipped and none comes twice", async () => {
    const first = await mailkeep.receive(mail("one"));
    const second = await mailkeep.receive(mail("two"));
    expect((await wait(`?since=${first.id}`)).json.id).toBe(second.id);
    const third = wait(`?since=${second.id}&timeout=30s`);
    await waiting();
    const stored = await mailkeep.receive(mail("three"));
    expect((await third).json.id).toBe(stored.id);
  });

  test("waits for the mail that matches and lets others pass", async () => {
    const answer = wait("?to=a@x.test&subject=reset&timeout=30s");
    await waiting();
    await mailkeep.receive(mail("Reset"), { recipients: ["b@x.test"] });
    await mailkeep.receive(mail("Welcome"), { recipients: ["a@x.test"] });
    const stored = await mailkeep.receive(mail("Password RESET"), { recipients: ["a@x.test"] });
    expect((await answer).json.id).toBe(stored.id);
  });

  test.each(["?header_to=ann%20lee&header_from=shop%2Bx@example.com", "?q=to:lee+-from:other"])(
    "%s waits for a mail by its header",
    async (query) => {
      const found = wait(query);
      await waiting();
      await mailkeep.receive(mail("other", "x", ["From: other@example.com", "To: Ann Lee <ann@x.test>"]));
      const people = ["From: shop+x@example.com", "To: Ann Lee <ann@x.test>"];
      const { id } = await mailkeep.receive(mail("one", "x", people));
      expect((await found).json.id).toBe(id);
    },
  );

  test("a wait with is: in its search is woken when a flag changes", async () => {
    const { id } = await mailkeep.receive(mail("one"));
    const found = wait("?q=is:starred");
    await waiting();
    await mailkeep.store.update([id], { is_starred: true });
    expect((await found).json.id).toBe(id);
  });

  test("is 417 when nothing came in time", async () => {
    await mailkeep.receive(mail("one"));
    const { status, json } = await wait("?subject=two&timeout=10ms");
    expect(status).toBe(417);
    expect(json).toMatchObject({ code: "timeout", near_misses: [{ missed_by: ["subject"] }] });
  });

  test("a client that hangs up is forgotten", async () => {
    const controller = new AbortController();
    const answer = wait("?timeout=60s", controller.signal).catch(() => "gone");
    await waiting();
    controller.abort();
    expect(await answer).toBe("gone");
    await nobodyWaits();
  });

  test("a server that stops ends all waits", async () => {
    const answer = wait("?timeout=60s");
    await waiting();
    const stopped = mailkeep.server.stop(2000);
    expect(await answer).toMatchObject({ status: 503, json: { code: "stopping" } });
    await stopped;
  });

  test("three hundred waiters all get their own mail", async () => {
    const expectations = new Expectations(mailkeep);
    const answers = Array.from({ length: 300 }, (_, n) =>
      expectations.arrival({ to: `user-${n}@x.test` }, 30_000, new AbortController().signal),
    );
    await waiting();
    const ids: string[] = [];
    for (let n = 0; n < 300; n++) {
      ids.push((await mailkeep.receive(mail("Hi"), { recipients: [`user-${n}@x.test`] })).id);
    }
    expect((await Promise.all(answers)).map(({ id }) => id)).toEqual(ids);
    await nobodyWaits();
  });
});

describe("with the search in a thread of its own", () => {
  beforeEach(async () => {
    await mailkeep.stop();
    mailkeep = await startMailkeep({ store: await openMemory() });
    baseline = mailkeep.listenerCount();
  });

  test("wait finds a mail that arrived while the search was still running", async () => {
    for (let n = 0; n < 40; n++) {
      const stored = await mailkeep.receive(mail(`number${n}`, `word${n}`));
      const { status, json } = await wait(`?q=%22word${n}%22&timeout=0`);
      expect({ n, status, id: json.id }).toEqual({ n, status: 200, id: stored.id });
    }
  });

  describe("a wait finds the last word of a mail that takes long to be indexed", () => {
    const long = mail("long", `${Array.from({ length: 60_000 }, (_, n) => `w${n}`).join(" ")} faraway`);

    test("if it began before the mail came", async () => {
      const answer = wait("?q=faraway&timeout=30s");
      await waiting();
      const stored = await mailkeep.receive(long);
      expect((await answer).json.id).toBe(stored.id);
    });

    test("if it began when the mail was announced", async () => {
      const announced = Promise.withResolvers<void>();
      const unsubscribe = mailkeep.store.onChange(() => announced.resolve());
      const stored = mailkeep.receive(long);
      await announced.promise;
      unsubscribe();
      expect((await wait("?q=faraway&timeout=30s")).json.id).toBe((await stored).id);
    });
  });
});

describe("messages/latest", () => {
  test("is the newest full message that matches", async () => {
    await mailkeep.receive(mail("one"));
    const two = await mailkeep.receive(mail("two"), { recipients: ["a@x.test"] });
    await mailkeep.receive(mail("three"));
    expect((await mailkeep.call("/api/v1/messages/latest")).json.subject).toBe("three");
    expect((await mailkeep.call("/api/v1/messages/latest?to=a@x.test")).json).toMatchObject({
      ...two,
      html_body: "",
    });
  });

  test("is 404 when no message matches", async () => {
    expect(await mailkeep.call("/api/v1/messages/latest")).toMatchObject({
      status: 404,
      json: { code: "no_match" },
    });
  });
});

test("the idle time-out does not apply to a HEAD that waits", async () => {
  const kept: Request[] = [];
  const options = {
    ...mailkeep,
    expectationsOf: () => new Expectations(mailkeep),
    keepOpen: (request: Request) => void kept.push(request),
  } as unknown as Dependencies;
  const app = new Elysia().use(finishAnswer(silentLogger, new RequestTimes())).use(testing(options));
  const request = new Request("http://localhost/api/v1/messages/wait?timeout=1ms", { method: "HEAD" });
  setCaller(request, { name: null, role: "admin", inboxes: null });
  await app.fetch(request);
  expect(kept).toHaveLength(1);
  // Bun's server sets time-outs only for its own request objects, not for copies.
  expect(kept[0] === request).toBe(true);
});
