import { describe, expect, test } from "bun:test";
import { checkSmtp } from "../../src/cli/server/listen.ts";
import { CLOSED_ADDRESS, CLOSED_PORT } from "../support/closed-port.ts";
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

describe("SMTP is not healthy", () => {
  test.each([
    ["it refuses everybody", "554 no\r\n", "SMTP answered: 554 no"],
    ["it does not greet", "", "SMTP closed the connection without a greeting"],
  ])("when %s", async (_, greeting, reason) => {
    using listener = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { open: (socket) => void socket.end(greeting), data() {} },
    });
    const checked = checkSmtp("127.0.0.1", { port: listener.port, isCrowded: false });
    await expect(checked).rejects.toThrow(reason);
  });

  test("when nothing listens, even if the server was crowded", async () => {
    await expect(checkSmtp("127.0.0.1", { port: CLOSED_PORT, isCrowded: true })).rejects.toThrow(
      "SMTP does not answer",
    );
  });
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
