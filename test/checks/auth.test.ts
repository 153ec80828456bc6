// DKIM, SPF, DMARC, ARC and BIMI. Signatures are real, but the DNS records come from the tests.
import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { authenticate, type DKIMSignOptions, dkimSign } from "mailauth";
import { createTransport } from "nodemailer";
import { checkAuthWith } from "../../src/checks/auth.ts";
import { parseDnsRecords, type Resolve, resolverFor } from "../../src/checks/dns.ts";
import { checkedMail } from "../../src/checks/index.ts";
import { readStructure } from "../../src/mime/index.ts";
import type { DnsRecords } from "../../src/model/index.ts";
import { told } from "./support/mail.ts";

const keys = (modulusLength: number) =>
  generateKeyPairSync("rsa", {
    modulusLength,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
const STRONG = keys(2048);
const WEAK = keys(1024);
const keyRecord = ({ publicKey }: typeof STRONG) => `v=DKIM1; k=rsa; p=${publicKey.toString("base64")}`;

async function signed({ privateKey } = STRONG, domainName = "example.com"): Promise<string> {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: "windows",
    dkim: { domainName, keySelector: "sel", privateKey },
  });
  const mail = { from: "shop@example.com", to: "ann@example.com", subject: "Hello", text: "Hello Ann\n" };
  return (await transport.sendMail(mail)).message.toString();
}

const check = (source: string, dns: DnsRecords, sender?: string) =>
  checkWith(resolverFor(dns), source, sender);

function checkWith(resolve: Resolve, source: string, sender = "bounce@example.com") {
  const raw = new TextEncoder().encode(source);
  const nothing = { text_body: "", html_body: "", text_is_derived: false, has_text_part: false };
  const bodies = { ...nothing, parsed: true, mayImprove: false };
  return checkAuthWith(resolve, checkedMail(readStructure(raw), bodies, sender), raw);
}

const RECORDS: DnsRecords = {
  "sel._domainkey.example.com": { TXT: [keyRecord(STRONG)] },
  "example.com": { TXT: ["v=spf1 ip4:8.8.8.8 -all"] },
  "_dmarc.example.com": { TXT: ["v=DMARC1; p=reject"] },
};
const received = (ip: string) =>
  `Received: from mx.example.com (mx.example.com [${ip}]) by mx.example.net; Tue, 17 Nov 2026 10:00:00 +0000\r\n`;

test("a signed mail passes with the records of its domain", async () => {
  const result = await check(received("8.8.8.8") + (await signed()), RECORDS);
  expect(result).toMatchObject({ status: "pass", score: 100, findings: [] });
  expect(result.summary).toBe("DKIM pass, SPF pass, DMARC pass: nothing to complain about");
});

test.each([
  ["from [8.8.8.8] by mx.example.net", "SPF pass"],
  ["from mx.example.com (HELO mx) (8.8.8.8) by mx.example.net", "SPF pass"],
  ["from mx.example.com (2001:4860::8) by mx.example.net", "SPF fail"],
  ["from 127.0.0.1 (added by qmail 1.2.3) by mx.example.net (8.8.8.8)", "SPF not verified"],
])("the sending address is read from %s", async (client, expected) => {
  const { summary } = await check(
    `Received: ${client}; Tue, 17 Nov 2026 10:00:00 +0000\r\n${await signed()}`,
    RECORDS,
  );
  expect(summary).toContain(expected);
});

const NAMES = Object.keys(RECORDS);
test.each([...NAMES.map((name) => [name]), NAMES])(
  "a check that depends on %j does not fail if DNS does not answer",
  async (...names) => {
    const given = resolverFor(RECORDS);
    const resolve: Resolve = async (name, type) => {
      if (names.includes(name)) throw Object.assign(new Error("no answer"), { code: "ETIMEOUT" });
      return given(name, type);
    };
    const result = await checkWith(resolve, received("8.8.8.8") + (await signed()));
    expect(told(result)).toEqual(["dns-unanswered"]);
    for (const name of names) expect(result.findings[0]?.message).toContain(name);
    expect(result.status).toBe("warn");
  },
);

test("SPF of a bounce is checked for the name in HELO", async () => {
  const source = received("8.8.8.8") + (await signed());
  const bounce = await check(
    source,
    { ...RECORDS, "mx.example.com": { TXT: ["v=spf1 ip4:8.8.8.8 -all"] } },
    "",
  );
  expect(bounce.summary).toStartWith("DKIM pass, SPF pass");
  expect(told(await check(source, RECORDS, ""))).toEqual(["spf-missing"]);
});

describe("a mail that does not pass", () => {
  test("a changed body fails DKIM and DMARC, and is not neutral", async () => {
    const result = await check((await signed()).replace("Hello Ann", "Hello Eve"), RECORDS);
    expect(told(result)).toEqual(["dkim-fail DKIM-Signature", "spf-unverified", "dmarc-fail"]);
    expect(result.summary).toStartWith("DKIM fail, SPF not verified, DMARC fail");
  });

  test("a changed subject fails DKIM", async () => {
    const result = await check((await signed()).replace("Subject: Hello", "Subject: Bye"), RECORDS);
    expect(told(result)).toContain("dkim-fail DKIM-Signature");
  });

  test("a key that is not published fails DKIM", async () => {
    const { "sel._domainkey.example.com": _, ...rest } = RECORDS;
    expect(told(await check(await signed(), rest))).toContain("dkim-fail DKIM-Signature");
  });

  test("a key of 1024 bits is weak", async () => {
    const dns = { ...RECORDS, "sel._domainkey.example.com": { TXT: [keyRecord(WEAK)] } };
    expect(told(await check(await signed(WEAK), dns))).toEqual([
      "dkim-weak DKIM-Signature",
      "spf-unverified",
    ]);
  });

  test("a signature of another domain does not count for From", async () => {
    const dns = { ...RECORDS, "sel._domainkey.other.example": { TXT: [keyRecord(STRONG)] } };
    const result = await check(await signed(STRONG, "other.example"), dns);
    expect(told(result)).toEqual(["dkim-unaligned DKIM-Signature", "spf-unverified", "dmarc-fail"]);
  });

  test("a mail without a signature and records gets warnings", async () => {
    const result = await check("From: shop@example.com\r\n\r\nHello\r\n", {});
    expect(told(result)).toEqual(["dkim-missing", "spf-missing", "dmarc-missing"]);
    expect(result.status).toBe("warn");
  });

  test("a signature with an unknown algorithm is there, but fails", async () => {
    const source = "DKIM-Signature: v=1; a=rsa-md5; d=example.com; s=sel; h=from; bh=eA==; b=eA==\r\n";
    const result = await check(`${source}From: shop@example.com\r\n\r\nHello\r\n`, {});
    expect(told(result)).toEqual(["dkim-fail DKIM-Signature", "spf-missing", "dmarc-missing"]);
  });

  const HELLO = "From: shop@example.com\r\nSubject: Hello\r\n\r\nHello Ann\r\n";
  async function withSignature(source: string, more: Partial<DKIMSignOptions>): Promise<string> {
    const key = { signingDomain: "example.com", selector: "sel", privateKey: STRONG.privateKey, ...more };
    return (await dkimSign(source, { ...key, signatureData: [key] })).signatures + source;
  }
  const ONLY_INNER = { "sel._domainkey.example.com": { TXT: [`t=s; ${keyRecord(STRONG).slice(9)}`] } };

  test.each([
    ["is made with SHA-1", { algorithm: "rsa-sha1" }, {}],
    ["names an author of another domain", { identity: "@other.example" }, {}],
    ["names a subdomain that its key forbids", { identity: "@sub.example.com" }, ONLY_INNER],
  ])("a signature that %s fails", async (_, more, dns) => {
    const source = await withSignature(HELLO, more);
    expect(source).toContain(Object.values(more)[0] as string);
    expect(told(await check(source, { ...RECORDS, ...dns }))).toEqual([
      "dkim-fail DKIM-Signature",
      "spf-unverified",
      "dmarc-fail",
    ]);
  });

  test("one-click unsubscribing that no signature covers is a warning", async () => {
    const source = `List-Unsubscribe: <https://x/>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n${HELLO}`;
    const headerList = "from:list-unsubscribe:list-unsubscribe-post";
    const unsigned = await withSignature(source, {});
    expect(told(await check(unsigned, RECORDS))).toEqual([
      "unsubscribe-unsigned List-Unsubscribe-Post",
      "spf-unverified",
    ]);
    expect(told(await check(await withSignature(source, { headerList }), RECORDS))).toEqual([
      "spf-unverified",
    ]);
  });

  test.each(["rua=a@example.com", "adkim=strict", "pct=200", "fo=9", "aspff=s", "constructor=1"])(
    "%s in a DMARC record is a warning that names it",
    async (tag) => {
      const TXT = [`v=DMARC1; p=reject; ruf=mailto:a@example.com!10m, mailto:b@example.com; ${tag};`];
      const { findings } = await check(await signed(), { ...RECORDS, "_dmarc.example.com": { TXT } });
      const messages = findings.filter(({ rule }) => rule === "dmarc-tag").map(({ message }) => message);
      expect(messages).toEqual([`The tag “${tag}” in the DMARC record of example.com is not valid.`]);
    },
  );

  test("an SPF record that lets everybody send is a warning", async () => {
    const dns = { ...RECORDS, "example.com": { TXT: ["v=spf1 +all"] } };
    expect(told(await check(received("9.9.9.9") + (await signed()), dns))).toEqual(["spf-all"]);
  });

  test("an address that may not send fails SPF", async () => {
    expect(told(await check(received("9.9.9.9") + (await signed()), RECORDS))).toEqual(["spf-fail"]);
  });

  test("a private address says nothing about SPF", async () => {
    expect(told(await check(received("172.17.0.2") + (await signed()), RECORDS))).toEqual(["spf-unverified"]);
  });

  test("two SPF records are invalid", async () => {
    const dns = { ...RECORDS, "example.com": { TXT: ["v=spf1 -all", "v=spf1 ?all"] } };
    expect(told(await check(await signed(), dns))).toEqual(["spf-invalid"]);
  });

  test.each(["Subject: x", "From: Ann", "From: undisclosed:;"])(
    "%j has no author, so nothing else is checked",
    async (header) => {
      const result = await check(`${header}\r\n\r\nHello\r\n`, RECORDS);
      expect(result.status).toBe("fail");
      expect(told(result)).toEqual(["from-missing From"]);
    },
  );

  test("several authors are an error, even of one domain", async () => {
    const source = "From: shop@example.com, ann@example.org\r\n\r\nHello\r\n";
    const result = await check(source, RECORDS);
    expect(told(result)).toEqual(["from-several From", "dkim-missing", "spf-unverified"]);
    expect(told(await check(source.replace(".org", ".com"), RECORDS))).toContain("from-several From");
  });

  test("text after the part of the body that l= signs is an error, l= alone a warning", async () => {
    const source = await withSignature(HELLO, { maxBodyLength: 11 });
    expect(source).toContain("l=11");
    expect(told(await check(source, RECORDS))).toContain("dkim-length DKIM-Signature");
    const appended = await check(`${source}Pay here\r\n`, RECORDS);
    expect(told(appended)).toContain("dkim-appended DKIM-Signature");
    expect(appended.status).toBe("fail");
  });

  test("a neutral SPF is a warning if DKIM passes", async () => {
    const dns = { ...RECORDS, "example.com": { TXT: ["v=spf1 ?all"] } };
    const result = await check(received("8.8.8.8") + (await signed()), dns);
    expect(result.status).toBe("warn");
    expect(told(result)).toEqual(["spf-neutral"]);
  });

  test.each([
    [["v=DMARC1; p=rejcet"]],
    [["v=DMARC1; p=rejcet; rua=mailto:a@example.com"]],
    [["v=DMARC1 p=reject"]],
    [["v=DMARC1; p=reject; sp=rejcet"]],
    [["v=DMARC1; p=reject", "v=DMARC1; p=none"]],
  ])("the DMARC record %j is broken", async (TXT) => {
    const result = await check(await signed(), { ...RECORDS, "_dmarc.example.com": { TXT } });
    expect(told(result)).toEqual(["spf-unverified", "dmarc-invalid"]);
    expect(result.status).toBe("fail");
  });

  test("a domain beyond ASCII is looked up by its A-label", async () => {
    const dns = {
      "xn--bcher-kva.example": { TXT: ["v=spf1 ip4:8.8.8.8 -all"] },
      "_dmarc.xn--bcher-kva.example": { TXT: ["v=DMARC1; p=reject"] },
    };
    const source = `${received("8.8.8.8")}From: shop@bücher.example\r\n\r\nHello\r\n`;
    const result = await check(source, dns, "shop@bücher.example");
    expect(told(result)).toEqual(["dkim-missing"]);
    const { findings } = await check(source.replace("8.8.8.8", "127.0.0.1"), {}, "");
    expect(findings.map(({ message }) => message)).toContain("xn--bcher-kva.example has no SPF record.");
  });
});

describe("ARC of a mail that a forwarder has sealed", () => {
  const SEAL = { signingDomain: "list.example", selector: "arc", privateKey: STRONG.privateKey };
  const DNS = { ...RECORDS, "arc._domainkey.list.example": { TXT: [keyRecord(STRONG)] } };
  const sealed = async (source: string) => {
    const resolver = resolverFor(DNS);
    const options = { sender: "bounce@example.com", ip: "8.8.8.8", mta: "list.example", resolver };
    const { headers } = await authenticate(source, { ...options, seal: { ...SEAL } });
    return headers.slice(0, headers.indexOf("Received-SPF")) + source;
  };

  test("passes, even if two have sealed it", async () => {
    const once = await sealed(await signed());
    const twice = await sealed(once);
    expect(twice.match(/^ARC-Seal: i=/gm)).toHaveLength(2);
    for (const source of [once, twice]) {
      const result = await check(received("8.8.8.8") + source, DNS);
      expect(told(result)).toEqual([]);
      expect(result.summary).toStartWith("DKIM pass, SPF pass, DMARC pass, ARC pass");
    }
  });

  test.each([
    ["the body was changed", (source: string) => source.replace("Hello Ann", "Hello Eve"), DNS],
    ["a seal is gone", (source: string) => source.replace(/^ARC-Seal:.*(?:\r\n[ \t].*)*\r\n/m, ""), DNS],
    ["the key is not published", (source: string) => source, RECORDS],
  ])("fails when %s", async (_, change, dns: DnsRecords) => {
    const result = await check(received("8.8.8.8") + change(await sealed(await signed())), dns);
    expect(told(result)).toContain("arc-fail");
    expect(result).toMatchObject({ status: "fail", summary: expect.stringContaining(", ARC fail") });
  });
});

describe("BIMI", () => {
  const withLogo = (record: string, dmarc = "v=DMARC1; p=reject") => ({
    ...RECORDS,
    "default._bimi.example.com": { TXT: [record] },
    "_dmarc.example.com": { TXT: [dmarc] },
  });
  const LOGO = "v=BIMI1; l=https://example.com/logo.svg";

  test("passes with a logo at https and a policy that rejects", async () => {
    const result = await check(await signed(), withLogo(LOGO));
    expect(told(result)).toEqual(["spf-unverified"]);
    expect(result.summary).toContain("DMARC pass, BIMI pass");
  });

  test("a domain without a record, or with a record that declines, gets no finding", async () => {
    for (const dns of [RECORDS, withLogo("v=BIMI1; l=; a=")])
      expect(told(await check(await signed(), dns))).toEqual(["spf-unverified"]);
  });

  test.each([
    ["a logo at http", withLogo("v=BIMI1; l=http://example.com/logo.svg"), "invalid location value"],
    ["no logo", withLogo("v=BIMI1;"), "missing location value"],
    ["a policy of none", withLogo(LOGO, "v=DMARC1; p=none"), "too lax DMARC policy"],
  ])("%s does not count", async (_, dns, reason) => {
    const { findings } = await check(await signed(), dns);
    const found = findings.find(({ rule }) => rule === "bimi-invalid");
    expect(found?.message).toStartWith(`The BIMI record does not count: ${reason}`);
  });
});

describe("records from a file", () => {
  test("a zone file may have an origin, comments, parentheses and strings in pieces", () => {
    const zone = `$ORIGIN example.com.
$TTL 3600
@       IN SOA ns.example.com. hostmaster.example.com. ( 1 2 ; serial
          3 4 5 )
        IN TXT "v=spf1 include:_spf.example.net -all" ; who may send
sel._domainkey 300 IN TXT ( "v=DKIM1; k=rsa; "
          "p=MIGf" )
mail    A 192.0.2.1
        AAAA 2001:db8::1
@       MX 10 mail
www.example.org. CNAME example.com.
$ORIGIN news
@       MX 5 mail
`;
    expect(parseDnsRecords(zone)).toEqual({
      "example.com": { TXT: ["v=spf1 include:_spf.example.net -all"], MX: ["10 mail.example.com"] },
      "sel._domainkey.example.com": { TXT: ["v=DKIM1; k=rsa; p=MIGf"] },
      "mail.example.com": { A: ["192.0.2.1"], AAAA: ["2001:db8::1"] },
      "www.example.org": { CNAME: ["example.com"] },
      "news.example.com": { MX: ["5 mail.news.example.com"] },
    });
  });

  test("a file without a record is refused", () => {
    expect(() => parseDnsRecords("; no zone\n")).toThrow("the file has no records");
  });

  test("a byte order mark is skipped, and escapes in strings and words are resolved", () => {
    const zone = '\ufeffa. TXT v=DMARC1\\;p=none\nb. TXT "v=DMARC1\\059p=none"\n';
    const TXT = ["v=DMARC1;p=none"];
    expect(parseDnsRecords(zone)).toEqual({ a: { TXT }, b: { TXT } });
  });

  test.each([
    ['a. TXT "x"\nexample.com. IN TEXT "v=spf1 -all"', "line 2: TEXT is not a type of record"],
    ['a. TXT "v=spf1 -all', 'line 1: a text begins with " and does not end'],
    ["$INCLUDE other.zone", "line 1: $INCLUDE is not supported"],
    ["a. TXT x )", "line 1: a closing parenthesis has no opening one"],
    ['{"dns":{},"example.com":{}}', 'example.com is outside of "dns"'],
  ])("%j is refused, and the error says where", (text, message) => {
    expect(() => parseDnsRecords(text)).toThrow(message);
  });

  test("a file may have the JSON of the API", () => {
    expect(parseDnsRecords('{"dns":{"example.com":{"A":["192.0.2.1"]}}}')).toEqual({
      "example.com": { A: ["192.0.2.1"] },
    });
  });

  test.each(['{"example.com":{"TXT":"x"}}', "{", "a TXT (", "a TXT"])("%s is refused", (text) => {
    expect(() => parseDnsRecords(text)).toThrow();
  });
});
