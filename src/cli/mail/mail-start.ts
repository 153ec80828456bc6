// What a file holds is told by how it begins; its name only tells an empty mail from an empty mbox.
import { open } from "node:fs/promises";
import { SEPARATOR } from "./mbox-reader.ts";

const SNIFFED_BYTES = 256;
const MAIL_START = /^(?:From |[!-9;-~]+:)/;

export async function startOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}

export const startOfBytes = (bytes: Uint8Array): string =>
  Buffer.from(bytes.subarray(0, SNIFFED_BYTES)).toString("latin1");

export const beginsLikeMail = (start: string): boolean => MAIL_START.test(start);

export const hasMailName = (path: string): boolean => /\.eml$/i.test(path);

/** A mail without a header may begin with "From ", too: an mbox has the time of delivery there. */
export function formatOf(path: string, start: string): "eml" | "mbox" {
  const isMbox = start === "" ? !hasMailName(path) : SEPARATOR.test(start);
  return isMbox ? "mbox" : "eml";
}
