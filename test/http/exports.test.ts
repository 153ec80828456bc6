// All messages, or those that match a filter, as one mbox or zip file.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { openFiles } from "../store/open.ts";
import { useFolders } from "../support/folders.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

const freshFolder = useFolders();
let mailkeep: Mailkeep;
const ids: string[] = [];
const LARGE = `Subject: large\r\n\r\n${"0123456789abcdef\r\n".repeat(100_000)}`;
const TRICKY = "Subject: tricky\r\n\r\nFrom here\r\n>From there\r\n>>From afar\r\nFrom\r\nfrom x\r\nno end";
beforeAll(async () => {
  mailkeep = await startMailkeep({ now: () => new Date("2026-11-04T09:08:07.006Z") });
  for (const raw of [mail("one"), TRICKY, LARGE])
    ids.push((await mailkeep.receive(raw, { sender: "a b@x.test" })).id);
  ids.push((await mailkeep.receive(mail("null"), { sender: "", recipients: ["only@x.test"] })).id);
});
afterAll(() => mailkeep.stop());

const download = (query: string) => mailkeep.call(`/api/v1/export${query}`);

describe("mbox", () => {
  test("is a file of all messages, oldest first, by RFC 4155 and mboxrd", async () => {
    const answer = await download("?format=mbox&subject=t");
    expect(answer.headers.get("content-type")).toBe("application/mbox");
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="mailkeep.mbox"');
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.text).toBe(
      [
        "From ab@x.test Wed Nov  4 09:08:07 2026",
        "Subject: tricky",
        "",
        ">From here",
        ">>From there",
        ">>>From afar",
        "From",
        "from x",
        "no end",
        "",
        "",
      ].join("\n"),
    );
  });

  test("is the default, and the null sender has the usual name", async () => {
    expect((await download("?to=only@x.test")).text).toStartWith(
      "From MAILER-DAEMON Wed Nov  4 09:08:07 2026\n",
    );
  });

  test("has every message", async () => {
    expect((await download("")).text.match(/^From .*2026$/gm)).toHaveLength(4);
  });
});

describe("zip", () => {
  const python = Bun.which("python3") ?? "";

  test.skipIf(python === "")("holds every message as received", async () => {
    const answer = await download("?format=zip");
    expect(answer.headers.get("content-type")).toBe("application/zip");
    const folder = freshFolder();
    await Bun.write(join(folder, "all.zip"), answer.bytes);
    const script = `import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
z.extractall(sys.argv[2])
print("\\n".join(z.namelist()))`;
    const names = await new Response(
      Bun.spawn([python, "-c", script, join(folder, "all.zip"), folder]).stdout,
    ).text();
    expect(names.trim().split("\n")).toEqual(ids.map((id) => `${id}.eml`));
    expect(await Bun.file(join(folder, `${ids[1]}.eml`)).text()).toBe(TRICKY);
    expect(await Bun.file(join(folder, `${ids[2]}.eml`)).text()).toBe(LARGE);
  });

  test.skipIf(python === "")("of attachments holds each under a name of its own", async () => {
    const part = (name: string, text: string) =>
      `--b\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\n${text}\r\n`;
    const { id } = await mailkeep.receive(
      `Subject: files\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${part("a.txt", "one")}${part("A.txt", "two")}${part("../größe.txt", "0123456789".repeat(200_000))}--b--\r\n`,
    );
    const answer = await mailkeep.call(`/api/v1/messages/${id}/attachments.zip`);
    expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${id}.zip"`);
    const file = join(freshFolder(), "all.zip");
    await Bun.write(file, answer.bytes);
    const script = `import json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
print(json.dumps({name: len(z.read(name)) for name in z.namelist()}))`;
    const sizes = await new Response(Bun.spawn([python, "-c", script, file]).stdout).json();
    expect(sizes).toEqual({ "a.txt": 3, "A (2).txt": 3, ".._größe.txt": 2_000_000 });
    const unknown = await mailkeep.call("/api/v1/messages/01KABCDEFGHJKMNPQRSTVWXYZ0/attachments.zip");
    expect(unknown.status).toBe(404);
    await mailkeep.store.delete([id]);
  });

  test("of nothing is an empty zip", async () => {
    expect((await download("?format=zip&subject=nothing")).bytes).toHaveLength(22);
  });
});

test.each(["?format=tar", "?format=", "?starred=1"])("%s is 400", async (query) => {
  expect((await download(query)).status).toBe(400);
});

test("an export does not end early when a mail of its first page is deleted", async () => {
  const full = await startMailkeep();
  try {
    const stored: string[] = [];
    for (let n = 0; n < 1001; n++) stored.push((await full.receive(mail(`needle ${n}`))).id);
    const walk = full.store.walk.bind(full.store);
    full.store.walk = async (filter, options) => {
      const ids = await walk(filter, options);
      const [gone] = options?.after === undefined ? ids.splice(1, 1) : [];
      if (gone !== undefined) await full.store.delete([gone]);
      return ids;
    };
    const { text } = await full.call("/api/v1/export?q=needle");
    expect(text.match(/^From .*20..$/gm)).toHaveLength(stored.length - 1);
  } finally {
    await full.stop();
  }
});

test.each(["mbox", "zip"])(
  "a mail that is deleted just before it is read is left out of the %s",
  async (format) => {
    const full = await startMailkeep();
    try {
      const gone = (await full.receive(mail("gone"))).id;
      const large = (await full.receive(LARGE)).id;
      await full.receive(mail("stays"));
      const raw = full.store.raw.bind(full.store);
      full.store.raw = async (id) => {
        if (id === gone || id === large) await full.store.delete([id]);
        return raw(id);
      };
      const { text } = await full.call(`/api/v1/export?format=${format}`);
      const begins = format === "mbox" ? /^From .*20..$/gm : /PK\x03\x04/g;
      expect(text.match(begins)).toHaveLength(1);
    } finally {
      await full.stop();
    }
  },
);

test.each(["mbox", "zip"])("a damaged mail is left out of the %s", async (format) => {
  const folder = freshFolder();
  const full = await startMailkeep({ store: await openFiles(folder) });
  try {
    for (const body of ["first", "second", "third"]) await full.receive(mail("Hi", body));
    const log = join(folder, "log");
    const [segment = ""] = await readdir(log);
    const file = await open(join(log, segment), "r+");
    await file.write("S", (await file.readFile()).indexOf("second"));
    await file.close();
    const { text } = await full.call(`/api/v1/export?format=${format}`);
    const begins = format === "mbox" ? /^From .*20..$/gm : /PK\x03\x04/g;
    expect(text.match(begins)).toHaveLength(2);
  } finally {
    await full.stop();
  }
});

test("a client that leaves in the middle stops the reading", async () => {
  const response = await fetch(`${mailkeep.url}/api/v1/export`);
  await response.body?.cancel();
  expect((await mailkeep.call("/api/v1/health")).status).toBe(200);
});
