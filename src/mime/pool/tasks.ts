// The work that may be slow on a hostile mail and therefore runs in a worker with a time limit. Plain data both ways.
import type { AuthResults } from "../../model/index.ts";
import { type Bodies, type BodyPart, composeBodies, decodeBody } from "../body/bodies.ts";
import { type AddressedHeader, decodeAddressedHeaders } from "../header/addresses.ts";
import { readAuth } from "../header/auth-results.ts";
import { decodeHeaders, type Header } from "../header/fields.ts";
import { type SanitizedHtml, sanitizeHtml } from "../html/sanitize.ts";
import { type CodeSource, type FoundCodes, readCodes } from "../insight/codes.ts";
import { findLinks, type Link, type LinkSource } from "../insight/links.ts";

export interface Tasks {
  /** `pieces` are the raw bytes of the parts, in the same order. */
  parse: { input: { parts: readonly BodyPart[]; pieces: readonly Uint8Array[] }; output: Bodies };
  sanitize: { input: { html: string; inlineBase: string; remote: boolean }; output: SanitizedHtml };
  links: { input: LinkSource; output: Link[] };
  codes: { input: CodeSource; output: FoundCodes };
  /** These take a header block, one character an octet. */
  headers: { input: string; output: Header[] };
  "addressed-headers": { input: string; output: AddressedHeader[] };
  auth: { input: string; output: { results: AuthResults; isAll: boolean } };
}

export type TaskName = keyof Tasks;

export interface TaskRequest {
  readonly name: TaskName;
  readonly input: Tasks[TaskName]["input"];
}

export type TaskResponse = { readonly output: Tasks[TaskName]["output"] } | { readonly error: string };

export const TASKS: { [Name in TaskName]: (input: Tasks[Name]["input"]) => Tasks[Name]["output"] } = {
  parse: ({ parts, pieces }) =>
    composeBodies(
      parts.map((part, index) => ({
        kind: part.kind,
        alternative: part.alternative,
        content: decodeBody(part, pieces[index] ?? new Uint8Array()),
      })),
    ),
  sanitize: ({ html, inlineBase, remote }) =>
    sanitizeHtml(html, { inlineUrl: (cid) => inlineBase + encodeURIComponent(cid), remote }),
  links: findLinks,
  codes: readCodes,
  headers: decodeHeaders,
  "addressed-headers": decodeAddressedHeaders,
  auth: readAuth,
};

/** Answers one request; a failure is an answer, too. */
export function answerTask({ name, input }: TaskRequest): TaskResponse {
  try {
    return { output: TASKS[name](input as never) };
  } catch (error) {
    return { error: String(error) };
  }
}
