import { expect, test } from "bun:test";
import { startMailkeep } from "../support/mailkeep.ts";

test("the log says when others can read the mail, on a terminal or not", async () => {
  await using open = await startMailkeep({ args: ["--bind=0.0.0.0"] });
  const line = await open.line((text) => text.includes("read and delete"));
  expect(JSON.parse(line)).toMatchObject({ level: "warn", advice: "--http-auth sets a password" });
  await using closed = await startMailkeep({ args: ["--bind=0.0.0.0", "--http-auth=ann:secret"] });
  await closed.stop();
  expect(closed.lines.filter((text) => text.includes("read and delete"))).toEqual([]);
});
