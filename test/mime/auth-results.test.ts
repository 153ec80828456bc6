// Authentication results as upstream servers recorded them.
import { expect, test } from "bun:test";
import { readAuth } from "../../src/mime/header/auth-results.ts";

const read = (...lines: string[]) => readAuth(lines.join("\r\n")).results;

test("a message without such headers has none", () => {
  expect(read("Subject: x")).toEqual({ dkim: [], spf: [], dmarc: [], arc: [] });
});

test("each result goes to its list with its own text, unfolded", () => {
  expect(
    read(
      "Authentication-Results: mx.example.com;",
      "\tdkim=pass header.i=@example.com header.s=sel;",
      "       spf=softfail (example.com: domain of a@b.c does not",
      " designate 1.2.3.4) smtp.mailfrom=a@b.c;",
      "  dmarc=FAIL (p=REJECT) header.from=example.com; iprev=pass",
    ),
  ).toEqual({
    dkim: [{ status: "pass", details: "dkim=pass header.i=@example.com header.s=sel" }],
    spf: [
      {
        status: "softfail",
        details: "spf=softfail (example.com: domain of a@b.c does not designate 1.2.3.4) smtp.mailfrom=a@b.c",
      },
    ],
    dmarc: [{ status: "fail", details: "dmarc=FAIL (p=REJECT) header.from=example.com" }],
    arc: [],
  });
});

test("a semicolon or a result inside a comment or a quoted string splits nothing", () => {
  const { dkim, spf } = read(
    'Authentication-Results: x.test 1 (a; spf=pass (nested; dkim=fail)); dkim=pass reason="good; spf=fail \\"yes\\"" (c)',
  );
  expect(dkim).toEqual([{ status: "pass", details: 'dkim=pass reason="good; spf=fail \\"yes\\"" (c)' }]);
  expect(spf).toEqual([]);
});

test("a comment or a version between method and result is skipped", () => {
  expect(read("Authentication-Results: x; spf/1 (c) = (d) pass").spf[0]?.status).toBe("pass");
});

test("DKIM-Signature is listed as info, with its text", () => {
  expect(read("DKIM-Signature: v=1; a=rsa-sha256; d=x.test;", " s=sel; b=abc").dkim).toEqual([
    { status: "info", details: "v=1; a=rsa-sha256; d=x.test; s=sel; b=abc" },
  ]);
});

test("Received-SPF gives its first word", () => {
  expect(read("Received-SPF: Pass (mx: ok) client-ip=1.2.3.4").spf).toEqual([
    { status: "pass", details: "Pass (mx: ok) client-ip=1.2.3.4" },
  ]);
});

test("a comment may come before the word of Received-SPF", () => {
  for (const value of ["(comment) pass", "(a (nested; b) \\) c)(d)\r\n Pass", "PASS(x)"]) {
    expect(read(`Received-SPF: ${value}`).spf.map(({ status }) => status)).toEqual(["pass"]);
  }
});

test("an empty Received-SPF is not a result", () => {
  for (const value of ["", "  ", "(nothing but a comment)", "; pass"]) {
    expect(read(`Received-SPF: ${value}`).spf).toEqual([]);
  }
});

test("everything of ARC-Authentication-Results, and arc= of the plain header, is listed under arc", () => {
  expect(
    read(
      "ARC-Authentication-Results: i=1; mx.test; dkim=pass header.i=@a; spf=neutral; arc=none",
      "Authentication-Results: mx.test; arc=pass (i=1)",
    ),
  ).toEqual({
    dkim: [],
    spf: [],
    dmarc: [],
    arc: [
      { status: "pass", details: "dkim=pass header.i=@a" },
      { status: "neutral", details: "spf=neutral" },
      { status: "none", details: "arc=none" },
      { status: "pass", details: "arc=pass (i=1)" },
    ],
  });
});

test("several headers keep their order; none= and empty ones are not results", () => {
  expect(
    read(
      "Authentication-Results: a; none",
      "Authentication-Results:",
      "Authentication-Results: b; spf=none",
      "authentication-results: c; spf=temperror",
    ).spf.map(({ status }) => status),
  ).toEqual(["none", "temperror"]);
});

test("a method with the name of an object's built-in property is ignored", () => {
  const none = { dkim: [], spf: [], dmarc: [], arc: [] };
  for (const name of ["constructor", "__proto__", "hasownproperty", "valueOf"])
    expect(read(`Authentication-Results: x; ${name}=pass`)).toEqual(none);
});
