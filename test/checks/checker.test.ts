// Checks run in workers with a time limit.
import { afterAll, expect, test } from "bun:test";
import { Checker } from "../../src/checks/index.ts";
import { inputFor } from "./support/mail.ts";

const STUCK = "onmessage = () => { for (;;) {} }; postMessage('ready');";
const sources = [() => new Blob([STUCK]), null];
const checker = new Checker({
  startWorker: () => {
    const source = sources.shift();
    const real = new URL("../../src/worker/check-worker.ts", import.meta.url).href;
    return new Worker(source ? URL.createObjectURL(source()) : real);
  },
  timeoutMs: 3000,
  dns: null,
  linksAllow: [],
  engines: { spamassassin: undefined, rspamd: undefined },
});
afterAll(() => checker.close());

test("a check that overruns its time fails alone, and the next one gets a new worker", async () => {
  const { mail, raw } = await inputFor({ html: '<p lang="en">Hello</p>' });
  const source = { size: raw.length, bytes: async () => raw };
  const options = { clients: [], fetchesLinks: false, dns: null };
  const [stuck, next] = await Promise.all([
    checker.check("html", { mail, raw: source }, options),
    checker.check("links", { mail, raw: source }, options),
  ]);
  expect(stuck).toMatchObject({
    mayChange: true,
    check: {
      name: "html",
      status: "fail",
      score: null,
      findings: [{ rule: "check-failed", severity: "error" }],
    },
  });
  expect(next).toMatchObject({ mayChange: false, check: { name: "links", status: "pass", score: 100 } });
});
