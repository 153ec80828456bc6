import { expect, test } from "bun:test";
import { startMailkeep } from "../support/mailkeep.ts";
import { deliver } from "../support/smtp-client.ts";

const subjects = async (http: string): Promise<string[]> => {
  const response = await fetch(`${http}/api/v1/messages`);
  return ((await response.json()) as { messages: { subject: string }[] }).messages.map(
    ({ subject }) => subject,
  );
};

test("--max-messages holds from the moment the 250 is sent; the oldest go first", async () => {
  await using server = await startMailkeep({ args: ["--max-messages=3"] });
  for (let n = 1; n <= 6; n++) {
    await deliver(server.smtpPort, { raw: `Subject: ${n}\r\n\r\n` });
    expect((await subjects(server.http)).length).toBe(Math.min(n, 3));
  }
  expect(await subjects(server.http)).toEqual(["6", "5", "4"]);
});

test("--retention removes what is older, soon after its time", async () => {
  await using server = await startMailkeep({ args: ["--retention=1s"] });
  const deleted = Promise.withResolvers<unknown>();
  const socket = new WebSocket(`${server.http.replace("http", "ws")}/api/v1/ws`);
  socket.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.type === "message:delete") deleted.resolve(event.data.id);
  };
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  const id = await deliver(server.smtpPort, { raw: "Subject: short-lived\r\n\r\n" });
  expect(await deleted.promise).toBe(id);
  expect(await subjects(server.http)).toEqual([]);
  socket.close();
});
