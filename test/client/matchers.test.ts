import { afterAll, beforeAll, expect, test } from "bun:test";
import "../../src/client/bun.ts";
import { connect } from "../../src/client/index.ts";
import { CLOSED_ADDRESS } from "../support/closed-port.ts";

/** A server with one mail, to Ann. */
let server: Bun.Server<undefined>;
const settles: (string | null)[] = [];
beforeAll(() => {
  const summary = { id: "01JCMZ5T0GQ3V4W5X6Y7Z8A9BC", subject: "Hi", sender: "a@x", recipients: ["ann@x"] };
  const fails = (answer: object) => Response.json(answer, { status: 417 });
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ url }) {
      const { pathname, searchParams } = new URL(url);
      const isMisspelt = searchParams.get("q") === "form:ann";
      const hint = isMisspelt ? { headers: { "mailkeep-hint": "form: is not a search operator." } } : {};
      const isThere = searchParams.get("to") === "ann@x";
      if (pathname.endsWith("/wait"))
        return isThere ? Response.json(summary) : fails({ waited_ms: 4000, near_misses: [] });
      if (pathname.endsWith("/count")) {
        settles.push(searchParams.get("settle"));
        return isThere
          ? fails({ ok: false, count: 1, expected_min: 0, expected_max: 0, waited_ms: 0 })
          : Response.json({ ok: true, count: 0 }, hint);
      }
      const list = { messages: [summary], next_cursor: null };
      return Response.json({ ...list, headers: [], links: [], codes: [], attachments: [] });
    },
  });
});
afterAll(() => server.stop(true));

const inbox = () => connect({ url: server.url.href, since: "all" });

test("toReceive passes when the mail comes", async () => {
  await expect(inbox()).toReceive({ to: "ann@x" });
});

/** Returns the error's message. In Bun a matcher throws at once, in other runners it rejects. */
const problemOf = (expectation: () => Promise<void>) =>
  Promise.resolve()
    .then(expectation)
    .then(
      () => "no problem",
      (error: Error) => error.message,
    );

test("toReceive fails with the client's own sentence", async () => {
  const problem = await problemOf(() => expect(inbox()).toReceive({ to: "bo@x" }));
  expect(problem).toContain("No mail to bo@x came within 4 s.");
});

test("not.toReceive passes when no mail comes within a second, or within the given timeout", async () => {
  settles.length = 0;
  await expect(inbox()).not.toReceive({ to: "bo@x" });
  await expect(inbox()).not.toReceive({ to: "bo@x" }, { timeout: "2s" });
  expect(settles).toEqual(["1s", "2s"]);
});

test("not.toReceive fails when the search has a misspelt operator", async () => {
  const problem = await problemOf(() => expect(inbox()).not.toReceive({ q: "form:ann" }));
  expect(problem).toContain("the search was not understood.\nHint: form: is not a search operator.");
});

test("not.toReceive fails when a mail is there, and names it", async () => {
  const problem = await problemOf(() => expect(inbox()).not.toReceive({ to: "ann@x" }));
  expect(problem).toContain('Expected no mail to ann@x; there is 1.\nThese match:\n  "Hi"');
});

test.each([{ to: "ann@x" }, null])("toReceive is refused for %p, which is not an inbox", async (given) => {
  const problem = await problemOf(() => expect(given).toReceive({ to: "ann@x" }));
  expect(problem).toContain("toReceive() is for an inbox");
});

test("toReceive says that nobody answers", async () => {
  const url = `http://${CLOSED_ADDRESS}`;
  const problem = await problemOf(() => expect(connect(url)).toReceive({ to: "ann@x" }));
  expect(problem).toContain(`Mailkeep does not answer at ${url}`);
});
