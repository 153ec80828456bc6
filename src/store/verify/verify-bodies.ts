// Whether every large body is what was stored; a part of `mailkeep verify`. Changes nothing.
import { createReadStream, statSync } from "node:fs";
import { crc32 } from "../../lib/crc32.ts";
import { asidePath, type DataDir, largePath } from "../log/data-dir.ts";
import { type LargeMeta, readJson } from "../log/record.ts";
import { listed, loadSegment, readSegment } from "../log/segment.ts";
import type { Rows } from "../rows/rows.ts";
import type { Findings } from "./problem.ts";
import type { CheckedLog } from "./verify-log.ts";

/**
 * Every live large body is there and is what was stored, and nothing else is in its file. The seqs of the messages
 * whose body is not.
 */
export async function checkBodies(
  rows: Rows,
  { dir, salt, segments }: CheckedLog,
  { problems, notes }: Findings,
): Promise<Set<number>> {
  const lost = new Set<number>();
  for (const segment of segments) {
    for (const entry of readSegment(loadSegment(dir.log, segment), 0, salt)) {
      if (entry.kind !== "record" || entry.type !== "large") continue;
      const meta = readJson<LargeMeta>(entry.payload);
      if (rows.bySeq(meta.seq) === null) continue;
      const path = largePath(dir, meta.id);
      const kind = await bodyProblem(path, salt, meta);
      if (kind === null) continue;
      const copy = asidePath(dir, meta.id);
      if (kind === "missing_body" && (await bodyProblem(copy, salt, meta)) === null) {
        notes.push(`message ${meta.id}: the next start takes its file back from ${copy}`);
        continue;
      }
      if (kind !== "surplus_bytes") lost.add(meta.seq);
      problems.push({ kind, message: `message ${meta.id}: ${BODY_PROBLEMS[kind](path, meta.size)}` });
    }
  }
  notes.push(...lostNotes(rows, dir));
  return lost;
}

/** The start that took them out has said so, and no other does. */
function lostNotes(rows: Rows, dir: DataDir): string[] {
  const files = rows.lostBodies().map((id) => `${id}.eml`);
  if (files.length === 0) return [];
  return [
    `of ${dir.large} ${listed(files)} was missing or damaged: put it back from a backup and start Mailkeep to have the mail again`,
  ];
}

type BodyProblem = "missing_body" | "damaged_body" | "surplus_bytes";

/** Nothing but a copy of the file helps where bytes are lost. */
const lostAdvice = (path: string): string =>
  `put ${path} back from a backup, or the next start takes the message out`;

const BODY_PROBLEMS: Record<BodyProblem, (path: string, size: number) => string> = {
  missing_body: (path) => `its file is missing; ${lostAdvice(path)}`,
  damaged_body: (path) => `its file does not match its checksum; ${lostAdvice(path)}`,
  surplus_bytes: (path, size) =>
    `it is whole, but ${path} goes on behind its end, which is never served; cut the file to ${size} bytes`,
};

async function bodyProblem(
  path: string,
  salt: number,
  { size, crc }: LargeMeta,
): Promise<BodyProblem | null> {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return "missing_body";
  if (file.size < size || (await checksum(path, size, salt)) !== crc) return "damaged_body";
  return file.size > size ? "surplus_bytes" : null;
}

async function checksum(path: string, size: number, salt: number): Promise<number> {
  let crc = salt;
  for await (const chunk of createReadStream(path, { end: size - 1 })) crc = crc32(chunk, crc);
  return crc;
}
