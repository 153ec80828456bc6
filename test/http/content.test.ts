// Content of a mail: raw source, attachments, inline images, exports, headers, text and HTML.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

const IMMUTABLE = "private, max-age=31536000, immutable";
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const part = (headers: string[], body: string) => ["--b", ...headers, "", body];
const RICH = [
  "From: Shop <shop@example.com>",
  "To: alice@example.com",
  "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=",
  "Received: from a by b",
  "Received: from c by d",
  "Authentication-Results: mx.example.com; spf=pass smtp.mailfrom=example.com; dkim=fail (bad; signature) header.d=x",
  "MIME-Version: 1.0",
  'Content-Type: multipart/mixed; boundary="b"',
  "",
  ...part(
    ["Content-Type: text/html; charset=iso-8859-1", "Content-Transfer-Encoding: quoted-printable"],
    '<p>Gr=FC=DFe, your code is 123456</p><script>alert(1)</script><img src=3D"cid:logo@x"><img src=3D"https://track.example/p.png"><a href=3D"https://example.com/verify">verify</a>',
  ),
  ...part(
    [
      "Content-Type: image/png",
      "Content-ID: <logo@x>",
      "Content-Disposition: inline",
      "Content-Transfer-Encoding: base64",
    ],
    PNG.toString("base64"),
  ),
  ...part(
    ["Content-Type: text/html", "Content-ID: <page@x>", "Content-Disposition: inline; filename=p.html"],
    "<script>alert(1)</script>",
  ),
  ...part(
    [
      "Content-Type: application/pdf",
      "Content-Disposition: attachment; filename*=UTF-8''na%C3%AFve%22%3B%20.pdf",
    ],
    "%PDF-1.4 not really",
  ),
  ...part(["Content-Type: text/csv", 'Content-Disposition: attachment; filename="../../etc/passwd"'], "1,2"),
  "--b--",
  "",
].join("\r\n");

let mailkeep: Mailkeep;
let id: string;
let attachments: { id: string; filename: string; content_type: string; size: number; message_id: string }[];
beforeAll(async () => {
  mailkeep = await startMailkeep();
  ({ id } = await mailkeep.receive(RICH));
  attachments = (await mailkeep.call(`/api/v1/messages/${id}/attachments`)).json.attachments;
});
afterAll(() => mailkeep.stop());

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  mailkeep.call(`/api/v1/messages/${id}${path}`, { headers, method });
const attachmentPath = (index: number) => `/attachments/${attachments[index]?.id}`;

function isUntrusted(headers: Headers) {
  expect(headers.get("cache-control")).toBe(IMMUTABLE);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
}

describe("raw source", () => {
  test("the bytes as received, with type, name, length and tag", async () => {
    const answer = await get("/raw");
    expect(answer.text).toBe(RICH);
    expect(answer.headers.get("content-type")).toBe("message/rfc822");
    expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${id}.eml"`);
    expect(answer.headers.get("content-length")).toBe(String(RICH.length));
    expect(answer.headers.get("etag")).toBe(`"${id}"`);
    isUntrusted(answer.headers);
  });

  test("an empty message is served", async () => {
    const { id: other } = await mailkeep.receive("");
    expect(await mailkeep.call(`/api/v1/messages/${other}/raw`)).toMatchObject({ status: 200, text: "" });
  });

  test("it is not compressed, even if the client accepts it", async () => {
    const answer = await get("/raw", { "accept-encoding": "gzip, zstd" });
    expect(answer.headers.has("content-encoding")).toBe(false);
    expect(answer.headers.get("content-length")).toBe(String(RICH.length));
  });
});

describe("content that the client already has is not sent again", () => {
  const paths = ["/raw", "/export", "/attachments", "/headers", "/auth", "/inline/logo@x"];
  test.each(paths)("%s: If-None-Match with the tag is 304", async (path) => {
    const whole = (await get(path)).headers;
    const etag = whole.get("etag") ?? "";
    expect(etag).not.toBe("");
    for (const header of [etag, `"other", ${etag}`, "*", `W/${etag.replace("W/", "")}`]) {
      const answer = await get(path, { "if-none-match": header });
      expect(answer).toMatchObject({ status: 304, text: "" });
      expect(answer.headers.get("etag")).toBe(etag);
      expect(answer.headers.get("cache-control")).toBe(IMMUTABLE);
      expect(answer.headers.get("vary")).toBe(whole.get("vary"));
    }
    expect((await get(path, { "if-none-match": '"other"' })).status).toBe(200);
  });
});

describe("ranges", () => {
  const size = RICH.length;
  const satisfied: [string, number, number][] = [
    ["bytes=0-9", 0, 10],
    ["bytes=5-", 5, size],
    ["bytes=-7", size - 7, size],
    ["bytes=0-99999999", 0, size],
    [`bytes=${size - 1}-${size - 1}`, size - 1, size],
    ["BYTES=1-2", 1, 3],
    ["bytes=-99999999", 0, size],
  ];
  test.each(satisfied)("%s is 206", async (range, start, end) => {
    const answer = await get("/raw", { range });
    expect(answer.status).toBe(206);
    expect(answer.text).toBe(RICH.slice(start, end));
    expect(answer.headers.get("content-range")).toBe(`bytes ${start}-${end - 1}/${size}`);
    expect(answer.headers.get("content-length")).toBe(String(end - start));
  });

  test.each([`bytes=${size}-`, "bytes=99999999-", "bytes=-0"])("%s is 416", async (range) => {
    const answer = await get("/raw", { range });
    expect(answer).toMatchObject({ status: 416, json: { code: "range_not_satisfiable" } });
    expect(answer.headers.get("content-range")).toBe(`bytes */${size}`);
  });

  test.each(["bytes=0-1,3-4", "bytes=5-2", "lines=1-2", "bytes=a-b", "bytes=-"])(
    "%s is answered whole",
    async (range) => {
      expect(await get("/raw", { range })).toMatchObject({ status: 200, text: RICH });
    },
  );

  test("If-Range with another tag gets the whole content, and with the same tag the range", async () => {
    expect((await get("/raw", { range: "bytes=0-1", "if-range": '"other"' })).status).toBe(200);
    expect((await get("/raw", { range: "bytes=0-1", "if-range": `"${id}"` })).status).toBe(206);
  });

  test("a decoded attachment has ranges, too", async () => {
    const answer = await get(attachmentPath(0), { range: "bytes=10-19" });
    expect(answer.status).toBe(206);
    expect(Buffer.from(answer.bytes)).toEqual(PNG.subarray(10, 20));
  });
});

test("HEAD answers every GET with the same headers and no body", async () => {
  const paths = [
    "",
    "/raw",
    "/attachments",
    attachmentPath(0),
    "/inline/logo@x",
    "/export",
    "/export?format=json",
    "/auth",
  ];
  for (const path of [...paths, "/headers", "/text", "/html", "/links", "/codes"]) {
    const full = await get(path);
    const head = await get(path, {}, "HEAD");
    expect(head).toMatchObject({ status: full.status, text: "" });
    for (const name of ["content-type", "content-length", "cache-control", "etag", "content-disposition"]) {
      expect(`${path} ${name} ${head.headers.get(name)}`).toBe(`${path} ${name} ${full.headers.get(name)}`);
    }
  }
  for (const path of [
    "/api/v1/messages",
    "/api/v1/openapi.yaml",
    "/api/v1/health",
    "/api/v1/info",
    "/docs",
  ]) {
    expect(await mailkeep.call(path, { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
  }
  expect((await mailkeep.call("/api/v1/messages/none/raw", { method: "HEAD" })).status).toBe(404);
});

describe("attachments", () => {
  test("the list has every part that is not the body, with its decoded size and a stable id", async () => {
    expect(attachments).toEqual([
      {
        id: expect.any(String),
        message_id: id,
        filename: expect.any(String),
        content_type: "image/png",
        size: PNG.length,
      },
      { id: expect.any(String), message_id: id, filename: "p.html", content_type: "text/html", size: 25 },
      {
        id: expect.any(String),
        message_id: id,
        filename: 'naïve"; .pdf',
        content_type: "application/pdf",
        size: 19,
      },
      {
        id: expect.any(String),
        message_id: id,
        filename: expect.any(String),
        content_type: "text/csv",
        size: 3,
      },
    ]);
    const answer = await get("/attachments");
    expect(answer.json.attachments).toEqual(attachments);
    expect(answer.headers.get("cache-control")).toBe(IMMUTABLE);
    expect(Object.keys(attachments[0] ?? {})).toEqual([
      "id",
      "message_id",
      "filename",
      "content_type",
      "size",
    ]);
  });

  test("a download is the decoded file with its stored type, as an attachment", async () => {
    const answer = await get(attachmentPath(0));
    expect(Buffer.from(answer.bytes)).toEqual(PNG);
    expect(answer.headers.get("content-type")).toBe("image/png");
    expect(answer.headers.get("content-length")).toBe(String(PNG.length));
    expect(answer.headers.get("content-disposition")).toStartWith("attachment; filename=");
    isUntrusted(answer.headers);
  });

  test("a large download has its length, and so has a range of it", async () => {
    const content = Buffer.alloc(300_000, "0123456789");
    const { id: large } = await mailkeep.receive(
      `Content-Type: application/x-large\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment\r\n\r\n${content.toString("base64").replace(/.{76}/g, "$&\r\n")}\r\n`,
    );
    const list = await mailkeep.call(`/api/v1/messages/${large}/attachments`);
    const path = `/api/v1/messages/${large}/attachments/${list.json.attachments[0].id}`;
    const whole = await mailkeep.call(path);
    expect(whole.headers.get("content-length")).toBe("300000");
    expect(Buffer.from(whole.bytes)).toEqual(content);
    const part = await mailkeep.call(path, { headers: { range: "bytes=10-200009" } });
    expect(part.status).toBe(206);
    expect(part.headers.get("content-length")).toBe("200000");
    expect(Buffer.from(part.bytes)).toEqual(content.subarray(10, 200_010));
  });

  test("a name is sent by RFC 6266 and cannot break the header", async () => {
    const naive = (await get(attachmentPath(2))).headers.get("content-disposition");
    expect(naive).toBe(`attachment; filename="na_ve_; .pdf"; filename*=UTF-8''na%C3%AFve%22%3B%20.pdf`);
    const passwd = (await get(attachmentPath(3))).headers.get("content-disposition") ?? "";
    expect(passwd).not.toContain("/");
  });

  test("an unknown attachment is 404", async () => {
    expect(await get("/attachments/01JCMZ5T0GQ3V4W5X6Y7Z8A9BC")).toMatchObject({
      status: 404,
      json: { code: "unknown_attachment" },
    });
  });

  test("include=sha256 adds the digest of the decoded content", async () => {
    const listed = (await get("/attachments?include=sha256")).json.attachments;
    for (const { sha256, ...attachment } of listed) {
      const { bytes } = await get(`/attachments/${attachment.id}`);
      expect(sha256).toBe(Bun.SHA256.hash(bytes, "hex"));
      expect(attachments).toContainEqual(attachment);
    }
    expect(listed).toHaveLength(attachments.length);
    expect((await get("/attachments?include=md5")).status).toBe(400);
  });

  test("a message without attachments has an empty list", async () => {
    const { id: plain } = await mailkeep.receive(mail("Hi"));
    expect((await mailkeep.call(`/api/v1/messages/${plain}/attachments`)).json).toEqual({ attachments: [] });
  });
});

describe("inline by Content-ID", () => {
  test.each(["logo@x", "logo%40x", "%3Clogo@x%3E"])("%s finds the image", async (cid) => {
    const answer = await get(`/inline/${cid}`);
    expect(Buffer.from(answer.bytes)).toEqual(PNG);
    expect(answer.headers.get("content-type")).toBe("image/png");
    isUntrusted(answer.headers);
  });

  test.each([
    [
      "a Content-ID that is percent-encoded in the mail is found by that text",
      "my%20logo@x",
      ["my%20logo@x", "my%2520logo@x"],
    ],
    [
      "a Content-ID with slashes is found even if a proxy decoded them",
      "a/b+c/d@x",
      ["a%2Fb+c%2Fd@x", "a/b+c/d%40x"],
    ],
  ])("%s", async (_, contentId, cids) => {
    const image = [...part(["Content-Type: image/png", `Content-ID: <${contentId}>`], "png"), "--b--"];
    const raw = ["Content-Type: multipart/related; boundary=b", "", ...image, ""].join("\r\n");
    const { id: other } = await mailkeep.receive(raw);
    for (const cid of cids) {
      expect((await mailkeep.call(`/api/v1/messages/${other}/inline/${cid}`)).text).toBe("png");
    }
  });

  test("a part that is not an image is served as bytes", async () => {
    expect((await get("/inline/page@x")).headers.get("content-type")).toBe("application/octet-stream");
  });

  test.each(["none", "logo", "a%2Fb", "a/b", "", "x%0d%0aSet-Cookie:a=b"])("%s is 404", async (cid) => {
    const answer = await get(`/inline/${cid}`);
    expect(answer.status).toBe(404);
    expect(answer.headers.has("set-cookie")).toBe(false);
  });
});

describe("export", () => {
  test.each(["/export", "/export?format=eml", "/export?format=x&format=eml"])(
    "%s is the raw source",
    async (path) => {
      const answer = await get(path);
      expect(answer.text).toBe(RICH);
      expect(answer.headers.get("content-type")).toBe("message/rfc822");
      expect(answer.headers.get("cache-control")).toBe(IMMUTABLE);
      expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${id}.eml"`);
    },
  );

  test("json is the same object as the message, not to be stored", async () => {
    const answer = await get("/export?format=json");
    expect(answer.json).toEqual((await get("")).json);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${id}.json"`);
  });

  test.each(["", "EML", "pdf", "eml%20"])("format %p is 400", async (format) => {
    expect((await get(`/export?format=${format}`)).status).toBe(400);
  });
});

describe("reading", () => {
  test("plain text without a header is the body", async () => {
    const { id: bare } = await mailkeep.receive("Hi Ann,\r\n\r\nit works\r\n");
    const { json } = await mailkeep.call(`/api/v1/messages/${bare}`);
    expect(json).toMatchObject({ subject: "", text_body: "Hi Ann,\n\nit works\n", html_body: "" });
    expect((await mailkeep.call(`/api/v1/messages/${bare}/headers`)).json).toEqual({ headers: [] });
    expect((await mailkeep.call("/api/v1/messages?q=hi+ann+works")).json.total).toBe(1);
  });

  test("headers come in order, unfolded, decoded, duplicates kept", async () => {
    const { json, headers } = await get("/headers");
    expect(headers.get("cache-control")).toBe(IMMUTABLE);
    expect(json.headers.slice(0, 5)).toEqual([
      { name: "From", value: "Shop <shop@example.com>" },
      { name: "To", value: "alice@example.com" },
      { name: "Subject", value: "Grüße" },
      { name: "Received", value: "from a by b" },
      { name: "Received", value: "from c by d" },
    ]);
  });

  test("headers include addresses only with include=addresses", async () => {
    const { json, headers } = await get("/headers?include=addresses");
    expect(headers.get("etag")).not.toBe((await get("/headers")).headers.get("etag"));
    expect(json.headers.slice(0, 3)).toEqual([
      {
        name: "From",
        value: "Shop <shop@example.com>",
        addresses: [{ name: "Shop", address: "shop@example.com" }],
      },
      { name: "To", value: "alice@example.com", addresses: [{ name: "", address: "alice@example.com" }] },
      { name: "Subject", value: "Grüße" },
    ]);
    expect((await get("/headers?include=people")).status).toBe(400);
  });

  test.each([
    ["text and HTML", ["--b", "", "Hi", "--b", "Content-Type: text/html", "", "<p>Hi</p>", "--b--"], "true"],
    ["HTML alone", ["--b", "Content-Type: text/html", "", "<p>Hi</p>", "--b--"], "false"],
    [
      "HTML and a mail that has a text part",
      ["--b", "Content-Type: text/html", "", "<p>Hi</p>"].concat([
        "--b",
        "Content-Type: message/rfc822",
        "",
        "Content-Type: text/plain",
        "",
        "Old",
        "--b--",
      ]),
      "false",
    ],
    [
      "a blank text and HTML",
      ["--b", "", " ", "--b", "Content-Type: text/html", "", "<p>Hi", "--b--"],
      "false",
    ],
  ])("a header tells whether the mail has a text part: %s", async (_, lines, expected) => {
    const header = "Content-Type: multipart/alternative; boundary=b";
    const { id } = await mailkeep.receive([header, "", ...lines, ""].join("\r\n"));
    const { headers } = await mailkeep.call(`/api/v1/messages/${id}/text`, { method: "HEAD" });
    expect(headers.get("mailkeep-text-part")).toBe(expected);
  });

  test("auth has four arrays of what the headers say, cached for ever", async () => {
    const { json, headers } = await get("/auth");
    expect(headers.get("cache-control")).toBe(IMMUTABLE);
    expect(Object.keys(json)).toEqual(["dkim", "spf", "dmarc", "arc"]);
    expect(json.spf[0].status).toBe("pass");
    expect(json.dkim[0].status).toBe("fail");
  });

  test("text is the text body", async () => {
    const answer = await get("/text");
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(answer.text).toBe((await get("")).json.text_body);
  });

  test("html has no script, inline images come from here, and remote ones are blocked and counted", async () => {
    const answer = await get("/html");
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.text).not.toContain("<script");
    expect(answer.text).toContain(`/api/v1/messages/${id}/inline/logo%40x`);
    expect(answer.text).not.toContain("track.example");
    expect(answer.headers.get("mailkeep-blocked-remote")).toBe("1");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("sandbox");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("allow-scripts");
    expect(policy).not.toContain("https:");
    expect(answer.headers.get("x-frame-options")).toBe("SAMEORIGIN");
    // In Firefox this header of the page does not apply to its frames, so the frame needs its own.
    expect(answer.headers.get("x-dns-prefetch-control")).toBe("off");
  });

  test("remote=true lets images from other servers in, and nothing else does", async () => {
    const answer = await get("/html?remote=true");
    expect(answer.text).toContain("https://track.example/p.png");
    const policy = answer.headers.get("content-security-policy") ?? "";
    const open = policy.split("; ").filter((directive) => directive.includes("https:"));
    expect(open).toEqual(["img-src 'self' data: https: http:"]);
    expect((await get("/html?remote=1")).status).toBe(400);
  });

  test.each(["7bit", "base64"])(
    "the html of an attached mail is safe in the same way, sent as %s",
    async (encoding) => {
      const encoded =
        encoding === "base64" ? Buffer.from(RICH).toString("base64").replace(/.{76}/g, "$&\r\n") : RICH;
      const attached = ["Content-Type: message/rfc822", `Content-Transfer-Encoding: ${encoding}`];
      const body = ["--outer", ...attached, "", encoded, "--outer--"].join("\r\n");
      const { id } = await mailkeep.receive(
        mail("Fwd", body, ["Content-Type: multipart/mixed; boundary=outer"]),
      );
      const at = `/api/v1/messages/${id}/attachments`;
      const [{ id: aid }] = (await mailkeep.call(at)).json.attachments;
      const answer = await mailkeep.call(`${at}/${aid}/html`);
      expect(answer.text).toContain("<p>Grüße, your code is 123456</p>");
      expect(answer.text).toContain(`src="data:image/png;base64,${PNG.toString("base64")}"`);
      expect(answer.text).not.toContain("<script");
      expect(answer.text).not.toContain("track.example");
      expect(answer.headers.get("mailkeep-blocked-remote")).toBe("1");
      expect(answer.headers.get("content-security-policy")).toBe(
        (await get("/html")).headers.get("content-security-policy"),
      );
      expect((await mailkeep.call(`${at}/${aid}/html?remote=true`)).text).toContain(
        "https://track.example/p.png",
      );
      expect((await mailkeep.call(`${at}/${id}/html`)).json.code).toBe("unknown_attachment");
    },
  );

  test("the html of an attachment that is not a mail is 404", async () => {
    expect(await get(`${attachmentPath(0)}/html`)).toMatchObject({ status: 404, json: { code: "no_mail" } });
  });

  test("links and codes of a mail with only HTML are found once, not again in the derived text", async () => {
    const html =
      '<ul><li><a href="https://a.test/1">One</a><b>Two</b></li></ul>https://a.test/2<p>Your code: 482913</p>';
    const { id } = await mailkeep.receive(mail("Hi", html, ["Content-Type: text/html"]));
    const links = (await mailkeep.call(`/api/v1/messages/${id}/links`)).json.links;
    expect(links).toEqual([
      { url: "https://a.test/1", text: "One", where: "html", rel: [] },
      { url: "https://a.test/2", text: "", where: "html", rel: [] },
    ]);
    const { codes } = (await mailkeep.call(`/api/v1/messages/${id}/codes`)).json;
    expect(codes).toEqual([expect.objectContaining({ code: "482913", where: "html" })]);
  });

  test("links and codes are found", async () => {
    expect((await get("/links")).json.links).toContainEqual(
      expect.objectContaining({ url: "https://example.com/verify", text: "verify", where: "html" }),
    );
    expect((await get("/codes")).json.codes[0]).toMatchObject({ code: "123456" });
  });
});
