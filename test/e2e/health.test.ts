import { expect, test } from "bun:test";
import { runMailkeep, startMailkeep } from "../support/mailkeep.ts";
import { openSmtp } from "../support/smtp-client.ts";

const health = async (http: string) => {
  const response = await fetch(`${http}/api/v1/health`);
  return { status: response.status, report: await response.json() };
};

test("health is 200 while SMTP, HTTP and the store work", async () => {
  await using server = await startMailkeep();
  expect(await health(server.http)).toEqual({
    status: 200,
    report: { status: "ok", checks: { http: "ok", store: "ok", smtp: "ok" } },
  });
});

test("health is 503 with the reason when SMTP takes no more clients", async () => {
  await using server = await startMailkeep({ args: ["--max-connections=1"] });
  const client = await openSmtp(server.smtpPort);
  await client.reply();
  const { status, report } = await health(server.http);
  expect(status).toBe(503);
  expect(report).toMatchObject({ status: "failing", checks: { smtp: expect.stringContaining("421") } });
  client.end();
});

test.each(["HTTP_PROXY", "http_proxy"])(
  "mailkeep health does not ask the proxy of %s for its own machine",
  async (variable) => {
    await using server = await startMailkeep();
    const environment = {
      [variable]: "http://127.0.0.1:1",
      no_proxy: "corp.example",
      MAILKEEP_URL: server.http,
    };
    expect(await runMailkeep(["health"], { environment })).toEqual({ code: 0, out: "ok\n", err: "" });
  },
);

test("mailkeep health showed a stack when no URL could have the address of MAILKEEP_BIND in it", async () => {
  const environment = { MAILKEEP_BIND: "fe80::1%eth0" };
  expect(await runMailkeep(["health"], { environment })).toEqual({
    code: 2,
    out: "",
    err: "mailkeep: no URL can have fe80::1%eth0 in it; say with --url where the server is\n",
  });
});
