import { expect, test } from "bun:test";
import { CLOSED_ADDRESS } from "../support/closed-port.ts";
import { runMailkeep, startMailkeep } from "../support/mailkeep.ts";
import { openSmtp } from "../support/smtp-client.ts";

const health = async (http: string) => {
  const response = await fetch(`${http}/api/v1/health`);
  return { status: response.status, report: await response.json() };
};

test("health is ok when one client has taken all SMTP connections", async () => {
  await using server = await startMailkeep({ args: ["--max-connections=2"] });
  const first = await openSmtp(server.smtpPort);
  const second = await openSmtp(server.smtpPort);
  expect(await first.reply()).toStartWith("220");
  expect(await second.reply()).toStartWith("220");
  const third = await openSmtp(server.smtpPort);
  expect(await third.reply()).toStartWith("421");
  expect(await health(server.http)).toMatchObject({ status: 200, report: { checks: { smtp: "ok" } } });
  for (const client of [first, second, third]) client.end();
});

test.each(["HTTP_PROXY", "http_proxy"])(
  "mailkeep health reaches its own machine without the proxy of %s",
  async (variable) => {
    await using server = await startMailkeep();
    const environment = {
      [variable]: `http://${CLOSED_ADDRESS}`,
      no_proxy: "corp.example",
      MAILKEEP_URL: server.http,
    };
    expect(await runMailkeep(["health"], { environment })).toEqual({ code: 0, out: "ok\n", err: "" });
  },
);

test("mailkeep health explains that the address of MAILKEEP_BIND cannot be part of a URL", async () => {
  const environment = { MAILKEEP_BIND: "fe80::1%eth0" };
  expect(await runMailkeep(["health"], { environment })).toEqual({
    code: 2,
    out: "",
    err: "mailkeep: fe80::1%eth0 cannot be part of a URL; give the server's address with --url\n",
  });
});
