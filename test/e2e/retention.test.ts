import { expect, test } from "bun:test";
import { listen } from "../support/listen.ts";
import { listAll } from "../support/mailbox.ts";
import { startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";
import { until } from "../support/until.ts";

const subjects = async (http: string) => (await listAll(http)).map(({ subject }) => subject);

test("--max-messages holds from the moment the 250 is sent; the oldest go first", async () => {
  await using server = await startMailkeep({ args: ["--max-messages=3"] });
  for (let n = 1; n <= 6; n++) {
    await deliver(server.smtpPort, { raw: `Subject: ${n}\r\n\r\n` });
    expect((await subjects(server.http)).length).toBe(Math.min(n, 3));
  }
  expect(await subjects(server.http)).toEqual(["6", "5", "4"]);
});

test("--retention removes mail soon after it has reached the age limit", async () => {
  await using server = await startMailkeep({ args: ["--retention=1s"] });
  const { frames, close } = await listen(server.http, "");
  const id = await deliver(server.smtpPort, { raw: "Subject: short-lived\r\n\r\n" });
  await until(() => frames.some(({ type, data }) => type === "message:delete" && data.id === id));
  expect(await subjects(server.http)).toEqual([]);
  close();
});
