// The raw source as text. Large mail is first fetched in part, so that looking at it costs little.
import { request } from "./client.ts";

export const BEGINNING_BYTES = 256 * 1024;

export interface Source {
  readonly text: string;
  /** False: there is more than `text`. */
  readonly isWhole: boolean;
}

export async function getSource(
  id: string,
  part: "beginning" | "all",
  signal?: AbortSignal,
): Promise<Source> {
  const headers: HeadersInit = part === "beginning" ? { Range: `bytes=0-${BEGINNING_BYTES - 1}` } : {};
  const response = await request(`/messages/${id}/raw`, { headers, ...(signal && { signal }) });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const total = Number(response.headers.get("Content-Range")?.split("/")[1] ?? bytes.length);
  return { text: decode(bytes), isWhole: bytes.length >= total };
}

/** Mail is bytes: what is not UTF-8 is shown byte by byte rather than as replacement marks. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
