// What a file holds is told by how it begins, whatever its name.
import { open } from "node:fs/promises";

const SNIFFED_BYTES = 256;
const MBOX_START = /^From /;
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

/** A file with nothing in it is an mbox without mails. */
export const formatOf = (start: string): "eml" | "mbox" =>
  start === "" || MBOX_START.test(start) ? "mbox" : "eml";
