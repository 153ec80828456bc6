// The work that may be slow on a hostile mail and therefore runs in a worker with a time limit:
// one protocol, one entry per task. Plain data both ways.
import type { AuthResults } from "../model/index.ts";
import type { Bodies, BodyPart } from "./bodies.ts";
import { type CodeSource, type FoundCodes, readCodes } from "./codes/codes.ts";
import { type AddressedHeader, readAddressedHeaders } from "./header/addressed-headers.ts";
import { readAuth } from "./header/auth-results.ts";
import { type Header, readHeaders } from "./header/headers.ts";
import { type SanitizedHtml, sanitizeHtml } from "./html/sanitize-html.ts";
import { findLinks, type Link, type LinkSource } from "./links.ts";

export interface Tasks {
  parse: { input: { parts: readonly BodyPart[]; pieces: readonly Uint8Array[] }; output: Bodies };
  sanitize: { input: { html: string; inlineBase: string; remote: boolean }; output: SanitizedHtml };
  links: { input: LinkSource; output: Link[] };
  codes: { input: CodeSource; output: FoundCodes };
  /** These take the bytes of a message's header. */
  headers: { input: Uint8Array; output: Header[] };
  "addressed-headers": { input: Uint8Array; output: AddressedHeader[] };
  auth: { input: Uint8Array; output: { results: AuthResults; isAll: boolean } };
}

export type TaskName = keyof Tasks;

type Run = { [Name in TaskName]: (input: Tasks[Name]["input"]) => Promise<Tasks[Name]["output"]> };

export interface TaskRequest {
  readonly id: number;
  readonly name: TaskName;
  readonly input: Tasks[TaskName]["input"];
}

export type TaskResponse =
  | { readonly id: number; readonly output: Tasks[TaskName]["output"] }
  | { readonly id: number; readonly error: string };

/** The tasks that need no parser and may as well run where they are asked for. */
export const localTasks: Omit<Run, "parse"> = {
  sanitize: async ({ html, inlineBase, remote }) =>
    sanitizeHtml(html, { inlineUrl: (cid) => inlineBase + encodeURIComponent(cid), remote }),
  links: async (source) => findLinks(source),
  codes: async (source) => readCodes(source),
  headers: async (header) => readHeaders(header),
  "addressed-headers": async (header) => readAddressedHeaders(header),
  auth: async (header) => readAuth(header),
};

/** Answers one request; a failure is an answer too. */
export async function answerTask(run: Run, { id, name, input }: TaskRequest): Promise<TaskResponse> {
  try {
    return { id, output: await run[name](input as never) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
