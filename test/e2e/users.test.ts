// Users and tokens of a running server, from the command line.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { useFolders } from "../support/folders.ts";
import { type Running, runMailkeep, startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";

const folder = useFolders();
let server: Running;
beforeAll(async () => {
  server = await startMailkeep({ args: ["--http-auth=ann:secret", "--http-auth=read=bob:secret"] });
});
afterAll(() => server.stop());

const ask = (args: readonly string[], environment: Record<string, string> = {}) =>
  runMailkeep(args, { environment: { MAILKEEP_URL: server.http, ...environment } });

const as = (pair: string) => ({ MAILKEEP_URL: server.http.replace("://", `://${pair}@`) });

test("a token is created, used by variable and by flag, listed and revoked", async () => {
  const created = await ask(
    ["token", "create", "--role=write", "--name=ci", "--expires=7d"],
    as("ann:secret"),
  );
  expect([created.code, created.out]).toEqual([0, expect.stringMatching(/^mk_[\w-]{43}\n$/)]);
  const token = created.out.trim();
  expect(await ask(["clear"], { MAILKEEP_TOKEN: token })).toMatchObject({
    code: 0,
    out: "0 mails deleted\n",
  });
  expect(await ask(["list", "--token", token])).toMatchObject({ code: 0, out: "no mail\n" });
  const listed = await ask(["token", "list"], as("ann:secret"));
  expect(listed.out).toMatch(/^id +name +may +expires\n[0-9A-Z]{26} +ci +write all mail +20/);
  const [id = ""] = /[0-9A-Z]{26}/.exec(listed.out) ?? [];
  expect(await ask(["token", "revoke", id], as("ann:secret"))).toMatchObject({ code: 0 });
  expect(await ask(["list", "--token", token])).toMatchObject({ code: 3 });
});

test("credentials in the address count before the variable, as in the client, and after the flag", async () => {
  const environment = { ...as("ann:secret"), MAILKEEP_TOKEN: "mk_unknown" };
  expect((await ask(["list"], environment)).code).toBe(0);
  expect((await ask(["list", "--token=mk_other"], environment)).code).toBe(3);
});

test("a weak role gets an error that names the needed one", async () => {
  const { code, err } = await ask(["token", "create"], as("bob:secret"));
  expect([code, err]).toEqual([
    3,
    "mailkeep: This needs the role admin; these credentials have the role read.\n",
  ]);
});

test("run says that the token of an inbox is not enough", async () => {
  const { out } = await ask(["inbox", "create", "ours"], as("ann:secret"));
  const [token = ""] = /mk_[\w-]+/.exec(out) ?? [];
  expect(token).not.toBe("");
  const { code, err } = await ask(["run", "--", "true"], { MAILKEEP_TOKEN: token });
  expect([code, err]).toEqual([3, expect.stringContaining("This needs the role admin")]);
});

test("report takes the mail of one inbox", async () => {
  await ask(["inbox", "create", "reported"], as("ann:secret"));
  await deliver(server.smtpPort, { from: "a@x.test", to: ["b@x.test"], raw: "Subject: Elsewhere\r\n\r\n" });
  const output = folder();
  const report = (inbox: string) => ask(["report", "--output", output, "--inbox", inbox], as("ann:secret"));
  expect(await report("reported")).toMatchObject({ code: 0, out: "No mail was captured.\n" });
  expect((await report("default")).out).toContain("Elsewhere");
});

test.each([
  [1, ["inbox", "remove", "nope"]],
  [1, ["token", "revoke", "nope"]],
  [3, ["list", "--inbox", "nope"]],
])("the exit code is %i if there is no such name: %j", async (expected, args) => {
  expect((await ask(args, as("ann:secret"))).code).toBe(expected);
});

test.each([
  [
    ["token", "create", "--role=admin", "--inbox=default"],
    "Field role of the request body must be read or write",
  ],
  [["inbox", "create", "--max-age=0s"], "Field max_age of the request body must be "],
  [["inbox", "create", "--max-size=x"], "Field max_size of the request body must be "],
  [["wait", "--timeout=6m"], "Parameter timeout must be a span of time such as 500ms, 10s or 2m, at most 5m"],
])("the server refuses %j", async (args, text) => {
  const { code, err } = await ask(args, as("ann:secret"));
  expect([code, err]).toEqual([2, expect.stringContaining(text)]);
});

test.each([
  [["token"], "token needs create, list or revoke"],
  [["token", "mint"], "token needs create, list or revoke, not 'mint'"],
  [["token", "revoke"], "needs the id of a token"],
  [["token", "list", "--inbox=a"], "--inbox is for 'mailkeep token create'"],
  [["token", "create", "--expires=soon"], "--expires: 'soon' is not valid"],
  [["token", "create", "--role=owner"], "accepted: read, write, admin"],
  [["inbox"], "inbox needs create, list or remove"],
  [["inbox", "remove"], "inbox remove needs the name of an inbox"],
  [["inbox", "list", "a"], "unexpected argument 'a'"],
  [["inbox", "list", "--max-messages=1"], "--max-messages is for 'mailkeep inbox create'"],
])("%j is wrong usage", async (args, text) => {
  const { code, err } = await ask(args);
  expect([code, err]).toEqual([2, expect.stringContaining(text)]);
});
