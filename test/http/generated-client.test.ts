// A TypeScript client that a generator makes from the OpenAPI document compiles, and works.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { generateSource } from "oazapfts";
import { tempFolder } from "../support/folders.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

const MODULES = join(import.meta.dir, "../../node_modules");
const FOLDER = tempFolder();

/** Does not compile if the document lacks a parameter, field or status that is used here. */
const PROGRAM = `
import * as api from "./client.ts";

export async function use(baseUrl: string) {
  api.defaults.baseUrl = baseUrl;
  const list = await api.listMessages({ subject: "order", hasAttachments: false, tag: ["a,b", "c"], limit: 1 });
  if (list.status !== 200) throw new Error(list.data.error);
  const id = list.data.messages[0]?.id ?? "";
  const changed = await api.updateMessage({ id, messageChange: { is_read: true, tags: ["read"] } });
  const message = await api.getMessage({ id, include: "preview" });
  const counted = await api.assertCount({ min: 2, unread: true });
  const cursor = await api.listMessages({ before: "nothing" });
  const bulk = await api.updateMessages({ bulkChange: { ids: [id, "nothing"], is_starred: true } });
  const deleted = await api.deleteMessages({ to: "ann+1@example.com" });
  return {
    total: list.data.total,
    tags: changed.status === 200 ? changed.data.tags : null,
    snippet: message.status === 200 ? message.data.preview?.snippet : null,
    count: counted.status === 417 ? [counted.data.count, counted.data.expected_min] : null,
    code: cursor.status === 400 ? cursor.data.code : null,
    notFound: bulk.status === 200 ? bulk.data.not_found : null,
    deleted: deleted.status === 200 ? deleted.data.deleted : null,
  };
}
`;

let mailkeep: Mailkeep;
beforeAll(async () => {
  mailkeep = await startMailkeep();
  symlinkSync(MODULES, join(FOLDER.path, "node_modules"));
  const document = join(FOLDER.path, "openapi.json");
  await Bun.write(document, (await mailkeep.call("/api/v1/openapi.json")).bytes);
  const options = { argumentStyle: "object", useUnknown: true, futureStripLegacyMethods: true } as const;
  await Bun.write(join(FOLDER.path, "client.ts"), await generateSource(document, options));
  await Bun.write(join(FOLDER.path, "use.ts"), PROGRAM);
});
afterAll(async () => {
  await mailkeep.stop();
  FOLDER.remove();
});

test("the generated client compiles", async () => {
  const flags = "--noEmit --strict --noUncheckedIndexedAccess --skipLibCheck --allowImportingTsExtensions";
  const target = "--target esnext --module preserve --moduleResolution bundler --lib esnext,dom,dom.iterable";
  const compiler = Bun.spawn(
    [join(MODULES, ".bin/tsc"), ...`${flags} ${target} --types`.split(" "), "", "use.ts"],
    { cwd: FOLDER.path, stdout: "pipe", stderr: "pipe" },
  );
  const [out, code] = await Promise.all([compiler.stdout.text(), compiler.exited]);
  expect({ code, out }).toEqual({ code: 0, out: "" });
});

test("the generated client works", async () => {
  const { id } = await mailkeep.receive(mail("Your order", "Thank you."), {
    recipients: ["ann+1@example.com"],
  });
  await mailkeep.receive(mail("Another order"));
  await mailkeep.store.update([id], { tags: ["a,b"] });
  const { use } = await import(join(FOLDER.path, "use.ts"));
  expect(await use(mailkeep.url)).toEqual({
    total: 1,
    tags: ["read"],
    snippet: "Thank you.",
    count: [1, 2],
    code: "unknown_cursor",
    notFound: ["nothing"],
    deleted: 1,
  });
});
