// Checks run in workers with a time limit.
import { afterAll, expect, jest, test } from "bun:test";
import { Checker } from "../../src/checks/index.ts";
import { inputFor } from "./support/mail.ts";

const STUCK = "onmessage = () => { for (;;) {} };";
const TIMEOUT_MS = 60_000;
const stuckWorker = () => new Worker(URL.createObjectURL(new Blob([STUCK])));
const realWorker = () => new Worker(new URL("../../src/worker/check-worker.ts", import.meta.url).href);
const workers = [stuckWorker, realWorker];
const checker = new Checker({
  startWorker: () => (workers.shift() as () => Worker)(),
  timeoutMs: TIMEOUT_MS,
  dns: null,
  linksAllow: [],
  engines: { spamassassin: undefined, rspamd: undefined },
});
afterAll(() => checker.close());

test("a check that overruns its time fails, and the next one gets a new worker", async () => {
  const { mail, raw } = await inputFor({ html: '<p lang="en">Hello</p>' });
  const source = { size: raw.length, bytes: async () => raw };
  const options = { clients: [], fetchesLinks: false, dns: null };
  jest.useFakeTimers();
  const overrunning = checker.check("html", { mail, raw: source }, options);
  jest.advanceTimersByTime(2 * TIMEOUT_MS);
  jest.useRealTimers();
  const next = await checker.check("links", { mail, raw: source }, options);
  expect(await overrunning).toMatchObject({
    name: "html",
    status: "fail",
    score: null,
    findings: [{ rule: "check-failed", severity: "error" }],
  });
  expect(next).toMatchObject({ name: "links", status: "pass", score: 100 });
});
