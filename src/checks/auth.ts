// Verifies DKIM, SPF, DMARC, ARC and BIMI with mailauth and our own resolver.
import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import type { AuthenticateResult } from "mailauth";
import type { Check } from "../model/index.ts";
import { type Resolve, resolverFor } from "./dns.ts";
import { concluded, Findings, quoted } from "./finding.ts";
import { isLocalHost } from "./hosts.ts";
import { type CheckedMail, type CheckInput, valuesOf } from "./mail.ts";

const RULES = {
  error: {
    "from-missing": "Write one address into From: receivers refuse a mail without an author.",
    "from-several":
      "Write one address into From. RFC 5322 allows several, but large receivers refuse such mails, and DMARC cannot pass for two domains.",
    "dkim-appended": "Sign without l=: anybody can add text after the signed part.",
    "dkim-fail":
      "Publish the key of this selector, sign with rsa-sha256 after the last change, with i= within d=, and let nothing rewrite the mail.",
    "spf-invalid": "Repair the record: one v=spf1, at most 10 lookups (RFC 7208, 4.6.4).",
    "spf-fail": "Add the sending address to the SPF record of the domain.",
    "dmarc-invalid": "Publish one record such as v=DMARC1; p=reject. Receivers ignore any other.",
    "dmarc-fail":
      "Let DKIM or SPF pass for the domain of From: receivers do with the mail what the policy says.",
    "arc-fail": "A server on the way broke the chain: ask its operator.",
  },
  warning: {
    "dkim-missing":
      "Sign the mail with DKIM: Gmail and Yahoo require it of bulk senders, and without it DMARC rests on SPF alone.",
    "dkim-weak": "Use an RSA key of 2048 bits, or Ed25519 beside one.",
    "dkim-length": "Sign without l=: it leaves the end of the body unsigned.",
    "dkim-unaligned": "Sign with the domain of From: only then does DMARC count it.",
    "unsubscribe-unsigned":
      "Name List-Unsubscribe and List-Unsubscribe-Post in h= of the signature: without it receivers show no unsubscribe button (RFC 8058, 4).",
    "spf-all": "Name the sending addresses, and end the record with -all or ~all.",
    "spf-neutral": "Name all sending addresses in the SPF record, and end it with -all or ~all.",
    "spf-missing": "Publish a TXT record such as v=spf1 include:_spf.example.com -all.",
    "dmarc-missing": "Publish _dmarc.<domain> TXT v=DMARC1; p=none; rua=mailto:…",
    "dmarc-tag": "Correct the tag (RFC 9989, 4.7): receivers ignore it, or the whole record.",
    "dns-unanswered": "Check again when DNS answers: what depends on these records is not verified.",
  },
  info: {
    "spf-unverified": "Mailkeep knows the sending address only from a Received field with a public address.",
    "dmarc-policy": "With p=quarantine or p=reject nobody else can send in your name.",
    "bimi-invalid": "BIMI needs p=quarantine or p=reject and a logo as SVG at https.",
  },
};

type Found = Findings<typeof RULES>;

/** Stands for an unknown sending address (RFC 5737), so that mailauth reads the SPF record. */
const NO_ADDRESS = "192.0.2.1";
/** Error codes for the DNS answers "no such name" and "no such record". */
const NO_RECORDS = new Set(["ENOTFOUND", "ENODATA"]);
/**
 * The result that mailauth gives if DNS does not answer. The finding `dns-unanswered` reports the
 * missing answers once, for all records.
 */
const UNVERIFIED = "temperror";

const POLICY = /^(?:none|quarantine|reject)$/i;
const ALIGNMENT = /^[rs]$/i;
const REPORT_TO = /^(?:mailto:[^\s,!@]+@[^\s,!@]+(?:!\d+[kmgt]?)?(?:\s*,\s*(?!$)|$))+$/i;
/** The values of a DMARC record (RFC 9989, 4.7). Tags that only RFC 7489 has are not errors. */
const DMARC_TAGS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    v: /^DMARC1$/,
    p: POLICY,
    sp: POLICY,
    np: POLICY,
    adkim: ALIGNMENT,
    aspf: ALIGNMENT,
    fo: /^[01ds](?:\s*:\s*[01ds])*$/i,
    rua: REPORT_TO,
    ruf: REPORT_TO,
    t: /^[yn]$/i,
    psd: /^[ynu]$/i,
    pct: /^(?:100|\d{1,2})$/,
    rf: /^afrf$/i,
    ri: /^\d{1,10}$/,
  }),
);
/** A DKIM signature must cover both (RFC 8058, 4). */
const ONE_CLICK_FIELDS = ["list-unsubscribe", "list-unsubscribe-post"];

export const checkAuth = ({ mail, raw, dns }: Pick<CheckInput, "mail" | "raw" | "dns">): Promise<Check> =>
  checkAuthWith(resolverFor(dns), mail, raw);

export async function checkAuthWith(resolve: Resolve, mail: CheckedMail, raw: Uint8Array): Promise<Check> {
  const { authenticate, spf } = await import("mailauth");
  const unanswered = new Set<string>();
  const resolver: Resolve = (name, type) =>
    resolve(name, type).catch((error) => {
      if (!NO_RECORDS.has(error.code)) unanswered.add(name);
      throw error;
    });
  const { ip, helo } = sendingServer(mail);
  const options = { sender: mail.sender, mta: "mailkeep", resolver, strict: true };
  const result = await authenticate(Buffer.from(raw.buffer, raw.byteOffset, raw.length), {
    ...options,
    ...(ip !== null && { ip, helo }),
  });
  const found = new Findings(RULES);
  const authors = result.dkim.headerFrom.filter((address) => /@./.test(address));
  const written = authors[0]?.split("@").at(-1) ?? "";
  const from = domainToASCII(written) || written;
  if (from === "") {
    found.add("from-missing", "From has no address: there is no domain to check.", { header: "From" });
    return concluded("auth", found.list);
  }
  if (authors.length > 1)
    found.add("from-several", `From has ${authors.length} addresses.`, { header: "From" });
  checkDkim(mail, result, found);
  const domain = mail.sender.split("@").at(-1) || helo || from;
  const spfResult =
    ip === null
      ? await spf({ ...options, sender: mail.sender || `postmaster@${from}`, ip: NO_ADDRESS, helo: domain })
      : result.spf;
  checkSpf(spfResult || { status: { result: "none" } }, domain, ip, found);
  await checkDmarc(result, from, resolver, unanswered, found);
  const { arc } = result;
  if (arc && arc.status.result === "fail")
    found.add("arc-fail", `The ARC chain is broken: ${arc.status.comment ?? "fail"}.`);
  await checkBimi(result, `default._bimi.${from}`, resolver, found);
  if (unanswered.size > 0)
    found.add("dns-unanswered", `DNS does not answer for ${[...unanswered].join(", ")}.`);
  return concluded("auth", found.list, { said: summaryOf(result, ip) });
}

/** The client in the newest Received field. A private address counts as unknown: SPF says nothing about it. */
function sendingServer({ fields }: CheckedMail): { ip: string | null; helo: string } {
  const [received = ""] = valuesOf(fields, "received");
  const [client = "", helo = ""] = /\bfrom\s+(\S+).*?(?=\sby\s|$)/is.exec(received.slice(0, 1000)) ?? [];
  const [, ip = ""] = /[[(](?:IPv6:)?([\da-f.:]+)[\])]/i.exec(client) ?? [];
  return isIP(ip) === 0 || isLocalHost(ip) ? { ip: null, helo: "" } : { ip, helo };
}

function checkDkim(
  { fields }: CheckedMail,
  { dkim: { results, headerFrom } }: AuthenticateResult,
  found: Found,
): void {
  const where = { header: "DKIM-Signature" };
  const signatures = results.filter(({ status }) => status.result !== "none");
  if (signatures.length === 0) found.add("dkim-missing", "The mail has no DKIM signature.");
  for (const signature of signatures) {
    const { status, signingDomain, selector, modulusLength } = signature;
    if (status.result === UNVERIFIED) continue;
    const name = `${selector}._domainkey.${signingDomain}`;
    // mailauth says `neutral` where RFC 6376 says PERMFAIL, but for receivers such a signature fails.
    if (status.result !== "pass")
      found.add(
        "dkim-fail",
        `The signature of ${name} is not valid: ${status.comment ?? status.result}.`,
        where,
      );
    else if (status.underSized)
      found.add("dkim-appended", `The last ${status.underSized} bytes are not signed by ${name}.`, where);
    else if (signature.canonBodyLengthLimited)
      found.add("dkim-length", `The signature of ${name} limits the body with l=.`, where);
    else if (modulusLength && modulusLength < 2048)
      found.add("dkim-weak", `The key of ${name} has ${modulusLength} bits.`, where);
  }
  const passing = signatures.filter(({ status }) => status.result === "pass");
  const isSigned = passing.some(({ signingHeaders }) => {
    const names = signingHeaders?.keys.toLowerCase().split(": ") ?? [];
    return ONE_CLICK_FIELDS.every((name) => names.includes(name));
  });
  if (passing.length > 0 && !isSigned && valuesOf(fields, "list-unsubscribe-post").length > 0)
    found.add("unsubscribe-unsigned", "No DKIM signature covers the fields for one-click unsubscribing.", {
      header: "List-Unsubscribe-Post",
    });
  const isAligned = signatures.some(({ status }) => status.aligned);
  if (passing.length > 0 && !isAligned)
    found.add(
      "dkim-unaligned",
      `No signature is of the domain of From, ${headerFrom[0]?.split("@").at(-1)}.`,
      where,
    );
}

function checkSpf(
  { status, rr = "" }: { status: { result: string; comment?: string }; rr?: string },
  domain: string,
  ip: string | null,
  found: Found,
): void {
  const { result, comment = "" } = status;
  if (result === UNVERIFIED) return;
  if (/\s\+?all(?:\s|$)/i.test(rr))
    found.add("spf-all", `The SPF record of ${domain} lets every address send.`);
  if (result === "none") found.add("spf-missing", `${domain} has no SPF record.`);
  else if (result === "permerror")
    found.add("spf-invalid", `The SPF record of ${domain} is not valid: ${comment}.`);
  else if (ip === null)
    found.add("spf-unverified", `${domain} has an SPF record; which address sent the mail is not known.`);
  else if (result === "neutral")
    found.add("spf-neutral", `The SPF record of ${domain} neither allows nor forbids ${ip}.`);
  else if (result !== "pass") found.add("spf-fail", `${ip} may not send for ${domain}: ${result}.`);
}

async function checkDmarc(
  { dmarc }: AuthenticateResult,
  from: string,
  resolver: Resolve,
  unanswered: ReadonlySet<string>,
  found: Found,
): Promise<void> {
  const records = (await textsAt(`_dmarc.${from}`, resolver)).filter((text) => /^v\s*=\s*DMARC1/i.test(text));
  const [record = ""] = records;
  const isValid = /^v *= *DMARC1 *;.*\bp *= *(?:none|quarantine|reject) *(?:;|$)/i.test(record);
  const status = dmarc ? dmarc.status.result : null;
  if (records.length > 1 || (record !== "" && (!isValid || status === "none"))) {
    const reason = records.length > 1 ? `there are ${records.length}` : quoted(record);
    found.add("dmarc-invalid", `The DMARC record of ${from} is broken: ${reason}.`);
    return;
  }
  // mailauth gives no result if there are two From fields, several domains in From, or a broken domain.
  if (!dmarc || status === UNVERIFIED) return;
  if (status === "none") found.add("dmarc-missing", `${from} has no DMARC record.`);
  else if (status !== "pass" && unanswered.size === 0)
    found.add("dmarc-fail", `Neither DKIM nor SPF passes for ${from}; the policy is ${dmarc.policy}.`);
  for (const tag of (dmarc.rr ?? "").split(";").map((part) => part.trim())) {
    const [name = "", value = ""] = tag.split(/\s*=\s*/, 2);
    if (tag !== "" && !DMARC_TAGS.get(name)?.test(value))
      found.add(
        "dmarc-tag",
        `The tag ${quoted(tag)} in the DMARC record of ${dmarc.policyDomain} is not valid.`,
      );
  }
  if (dmarc.policy === "none") found.add("dmarc-policy", `The DMARC policy of ${from} is none.`);
}

const textsAt = (name: string, resolver: Resolve): Promise<string[]> =>
  resolver(name, "TXT").then(
    (texts) => texts.map((text) => [text].flat().join("").trim()),
    () => [],
  );

/** mailauth skips BIMI if DMARC does not pass or is too lax, so we look for the record ourselves. */
async function checkBimi(
  { bimi }: AuthenticateResult,
  name: string,
  resolver: Resolve,
  found: Found,
): Promise<void> {
  if (!bimi) return;
  const { result, comment = result } = bimi.status;
  if (result === "fail" || (result === "skipped" && (await textsAt(name, resolver)).length > 0))
    found.add("bimi-invalid", `The BIMI record does not count: ${comment}.`);
}

function summaryOf({ dkim, dmarc, spf, arc, bimi }: AuthenticateResult, ip: string | null): string {
  const results = dkim.results.map(({ status }) => status.result);
  const signed =
    (["pass", UNVERIFIED] as const).find((result) => results.includes(result)) ??
    (results.every((result) => result === "none") ? "none" : "fail");
  const sent = ip === null || !spf ? "not verified" : spf.status.result;
  const others = Object.entries({ ARC: arc, BIMI: bimi }).flatMap(([name, found]) =>
    found && /^(?:pass|fail)$/.test(found.status.result) ? `, ${name} ${found.status.result}` : [],
  );
  return `DKIM ${signed}, SPF ${sent}, DMARC ${dmarc ? dmarc.status.result : "none"}${others.join("")}`;
}
