// The mailbox of a running Mailkeep as a client sees it over REST.
import type { HealthReport } from "../../src/model/index.ts";

export interface Summary {
  readonly id: string;
  readonly sender: string;
  readonly recipients: string[];
  readonly subject: string;
  readonly size: number;
  readonly has_attachments: boolean;
  readonly is_read: boolean;
  readonly is_starred: boolean;
  readonly tags: string[];
  readonly created_at: string;
}

interface Page {
  readonly messages: Summary[];
  readonly total: number;
  readonly next_cursor: string | null;
}

/** Lists every message, newest first, page by page. */
export async function listAll(http: string, limit = 200): Promise<Summary[]> {
  const found: Summary[] = [];
  for (let before: string | null = ""; before !== null; ) {
    const cursor: string = before === "" ? "" : `&before=${before}`;
    const page = (await (await fetch(`${http}/api/v1/messages?limit=${limit}${cursor}`)).json()) as Page;
    found.push(...page.messages);
    before = page.next_cursor;
  }
  return found;
}

export async function total(http: string, query = ""): Promise<number> {
  const page = (await (await fetch(`${http}/api/v1/messages?limit=1&${query}`)).json()) as Page;
  return page.total;
}

export const rawOf = async (http: string, id: string): Promise<Buffer> =>
  Buffer.from(await (await fetch(`${http}/api/v1/messages/${id}/raw`)).arrayBuffer());

export async function health(http: string): Promise<string> {
  return ((await (await fetch(`${http}/api/v1/health`)).json()) as { status: string }).status;
}

export async function storeHealth(http: string): Promise<{ status: string; store: string }> {
  const report = (await (await fetch(`${http}/api/v1/health`)).json()) as HealthReport;
  return { status: report.status, store: report.checks.store ?? "" };
}
