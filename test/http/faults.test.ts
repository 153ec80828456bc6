// The routes of faults on purpose, transcripts and rejections.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { SessionTranscript } from "../../src/app/index.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";

let mailkeep: Mailkeep;
beforeAll(async () => {
  mailkeep = await startMailkeep();
});
afterAll(() => mailkeep.stop());
beforeEach(() => mailkeep.faults.replace([]));

const RULE = { name: "busy", at: "rcpt", to: "ann@example.com", reply: { code: 450 }, times: 2 };
const faults = (method = "GET", body?: object, name = "") =>
  mailkeep.call(`/api/v1/faults${name && `/${name}`}`, { method, body: body as never });

describe("faults", () => {
  test("rules are put, listed with their hits, added and removed", async () => {
    expect(await faults("PUT", { rules: [RULE] })).toMatchObject({
      status: 200,
      json: { rules: [{ ...RULE, hits: 0 }] },
    });
    const context = { client: "c", sender: "", recipients: ["ann@example.com"], header: null };
    mailkeep.faults.at("rcpt", context);
    const other = { name: "slow", at: "end", delay: "2s", throttle: "10k", header: "X-Test: a*" };
    const added = await faults("POST", other);
    expect([added.status, added.json]).toEqual([201, { ...other, hits: 0 }]);
    expect((await faults()).json).toEqual({
      rules: [
        { ...RULE, hits: 1 },
        { ...other, hits: 0 },
      ],
    });
    expect((await faults("DELETE", undefined, "busy")).status).toBe(204);
    expect((await faults("DELETE", undefined, "busy")).json).toMatchObject({ code: "unknown_fault" });
    expect((await faults("DELETE")).status).toBe(204);
    expect((await faults()).json).toEqual({ rules: [] });
  });

  test("DELETE with the name of one rule in its body does not remove all", async () => {
    await faults("PUT", { rules: [RULE] });
    const error = "Field name of the request body is not known here; none is allowed.";
    const refused = await faults("DELETE", { name: "busy" });
    expect([refused.status, refused.json]).toEqual([400, { error, code: "invalid_body" }]);
    expect((await faults()).json).toEqual({ rules: [{ ...RULE, hits: 0 }] });
    expect((await faults("DELETE", {})).status).toBe(204);
  });

  test("PUT resets the counts", async () => {
    await faults("PUT", { rules: [RULE] });
    mailkeep.faults.at("rcpt", { client: "", sender: "", recipients: ["ann@example.com"], header: null });
    expect((await faults("PUT", { rules: [RULE] })).json).toEqual({ rules: [{ ...RULE, hits: 0 }] });
  });

  test("rules as GET lists them can be put back, with new counts", async () => {
    await faults("PUT", { rules: [{ ...RULE, expires: "1h" }] });
    mailkeep.faults.at("rcpt", { client: "", sender: "", recipients: ["ann@example.com"], header: null });
    const listed = (await faults()).json;
    expect([listed.rules[0].hits, typeof listed.rules[0].expires_at]).toEqual([1, "string"]);
    expect((await faults("PUT", listed)).json.rules).toMatchObject([{ ...RULE, expires: "1h", hits: 0 }]);
  });

  test("before AUTH only an inbox with a port of its own can have a rule", async () => {
    await mailkeep.inboxes.put("ci", {}, null);
    const rule = { name: "gone", at: "ehlo", inbox: "ci", drop: true };
    const sentence =
      "at of the request body cannot be ehlo for the inbox ci: the inbox has no SMTP port of its own, so it is known only from auth on.";
    expect((await faults("POST", rule)).json.error).toBe(`Field ${sentence}`);
    expect((await faults("PUT", { rules: [rule] })).json.error).toBe(`Field rules.0.${sentence}`);
    expect((await faults("POST", { ...rule, at: "auth" })).status).toBe(201);
  });

  test("a rule for an unknown inbox gets an error that names the nearest one", async () => {
    const rule = { ...RULE, inbox: "defualt" };
    const error = (field: string) =>
      `Field ${field} of the request body names an inbox that does not exist; the nearest is default.`;
    expect((await faults("POST", rule)).json).toEqual({ error: error("inbox"), code: "invalid_body" });
    expect((await faults("PUT", { rules: [RULE, rule] })).json.error).toBe(error("rules.1.inbox"));
    expect((await faults()).json).toEqual({ rules: [] });
    expect((await faults("POST", { ...RULE, inbox: "default" })).status).toBe(201);
  });

  const WRONG: [object, string][] = [
    [
      { ...RULE, form: "a@b.example" },
      "Field form of the request body is not known here; did you mean from?",
    ],
    [{ ...RULE, at: "RCPT" }, "Field at of the request body must be connect, ehlo,"],
    [
      { ...RULE, reply: { code: 250 } },
      "Field reply.code of the request body must be an integer from 400 to 599.",
    ],
    [
      { ...RULE, reply: { code: 450, text: "a\r\n250 b" } },
      "Field reply.text of the request body must be one line",
    ],
    [{ ...RULE, delay: 5 }, "Field delay of the request body must be"],
    [{ ...RULE, throttle: "fast" }, "Field throttle of the request body must be a size such as 1024 or 10k"],
    [{ ...RULE, to: "*a*b*" }, "Field to of the request body must be a pattern for the address of RCPT TO"],
    [{ at: "rcpt", drop: true }, "Field name of the request body is missing."],
  ];
  test.each(WRONG)("%j is refused with a sentence, and nothing changes", async (rule, sentence) => {
    await faults("PUT", { rules: [RULE] });
    const added = await faults("POST", { name: "new", ...rule });
    const replaced = await faults("PUT", { rules: [rule] });
    if (Object.hasOwn(rule, "name")) {
      expect(added).toMatchObject({ status: 400, json: { code: "invalid_body" } });
    }
    expect(replaced).toMatchObject({ status: 400, json: { code: "invalid_body" } });
    expect(replaced.json.error).toStartWith(sentence.replace("Field ", "Field rules.0."));
    expect(mailkeep.faults.list().map(({ name }) => name)).toContain("busy");
  });
});

describe("transcripts", () => {
  const session = () => {
    const written = new SessionTranscript("10.0.0.1");
    written.add({ wire: "250-mailkeep\r\n250 HELP\r\n" });
    written.recordInput("RCPT TO:<ann@example.com>");
    return written;
  };

  test("the transcript of a mail has its lines in order", async () => {
    const { id } = await mailkeep.receive(mail("Hi"));
    mailkeep.transcripts.keep(id, session());
    const { status, json } = await mailkeep.call(`/api/v1/messages/${id}/transcript`);
    expect(status).toBe(200);
    expect(json).toEqual({
      client: "10.0.0.1",
      tls: null,
      lines: ["250-mailkeep", "250 HELP", "RCPT TO:<ann@example.com>"].map((text, index) => ({
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        from: index < 2 ? "server" : "client",
        text,
      })),
    });
  });

  test("a mail without a transcript and an unknown mail get different errors", async () => {
    const { id } = await mailkeep.receive(mail("Hi"));
    const without = await mailkeep.call(`/api/v1/messages/${id}/transcript`);
    expect(without).toMatchObject({ status: 404, json: { code: "no_transcript" } });
    expect(without.json.error).toContain("it did not arrive by SMTP, or 1,000 mails have arrived since");
    await mailkeep.store.delete([id]);
    const unknown = await mailkeep.call(`/api/v1/messages/${id}/transcript`);
    expect(unknown).toMatchObject({ status: 404, json: { code: "unknown_message" } });
  });

  test("rejections come newest first, up to the limit, and have transcripts", async () => {
    const refusal = { stage: "rcpt", sender: "", recipients: ["ann@example.com"] } as const;
    for (const reply of ["450 first\r\n", "550 second\r\n"])
      mailkeep.transcripts.refuse(session(), reply, refusal, "default");
    const list = await mailkeep.call("/api/v1/rejections?limit=1");
    expect(list.json).toMatchObject({
      rejections: [{ stage: "rcpt", reply: "550 second", recipients: ["ann@example.com"] }],
      total: 2,
    });
    // A limit below 1 counts as 1.
    expect((await mailkeep.call("/api/v1/rejections?limit=0")).json).toEqual(list.json);
    const [{ id }] = list.json.rejections;
    const transcript = await mailkeep.call(`/api/v1/rejections/${id}/transcript`);
    expect(transcript.json.lines.length).toBe(3);
    const unknown = await mailkeep.call("/api/v1/rejections/nothing/transcript");
    expect(unknown).toMatchObject({ status: 404, json: { code: "unknown_rejection" } });
    expect((await mailkeep.call("/api/v1/rejections?limt=1")).json).toMatchObject({
      code: "unknown_parameter",
    });
  });
});
