// The version of the log's format and its salt, as a file says and every segment repeats. The file has no checksum and may
// come from another folder than the segments: where they agree among themselves, they are right.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import type { Logger } from "../../lib/logger.ts";
import { StoreError } from "../store.ts";
import { type DataDir, FILE_MODE } from "./data-dir.ts";
import { assertFile } from "./file-kind.ts";
import { findHeader } from "./record.ts";
import {
  FORMAT_VERSION,
  headIn,
  listed,
  listSegments,
  loadSegment,
  readPrologue,
  readStart,
  type SegmentName,
  segmentPath,
} from "./segment.ts";

export interface Format {
  readonly format: number;
  /** Seed of every checksum in the log. */
  readonly salt: number;
}

/** What a log is written by, with the names of its files. */
interface FoundLog extends Format {
  readonly files: string[];
}

const MAX_SALT = 0xffff_ffff;

/**
 * What the file says; without it, what the first segment does. Null for a folder without a store in it. Touches nothing,
 * and needs no lock: a newer format is refused by it.
 */
export function readFormat(dir: DataDir): Format | null {
  return known(dir, formatFromFile(dir) ?? formatFromLog(dir));
}

/** What the log is really written by. Refuses to tell where there are two. Touches nothing. */
export function trueFormat(dir: DataDir): { format: Format | null; fault: string | null } {
  const told = formatFromFile(dir);
  const [found, other] = logsIn(dir, told?.salt);
  if (found !== undefined && other !== undefined) throw mixed(dir, found, other);
  if (told !== null && (found === undefined || found.salt === told.salt))
    return { format: told, fault: null };
  const format = known(dir, found ?? formatFromLog(dir));
  return { format, fault: format === null ? null : faultOf(dir, told) };
}

/** Puts the file right, or writes the first one; answers with the salt. */
export function settleFormat(dir: DataDir, logger: Logger): number {
  const { format, fault } = trueFormat(dir);
  if (format !== null && fault === null) return format.salt;
  const salt = format?.salt ?? crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  try {
    writeFormat(dir, { format: FORMAT_VERSION, salt });
  } catch (error) {
    // The log says it all; what the file lacks, the next start may write.
    if (format === null) throw error;
  }
  if (fault !== null) logger.warn("format_from_log", { file: dir.format, reason: fault });
  return salt;
}

function known(dir: DataDir, format: Format | null): Format | null {
  if (format === null || format.format <= FORMAT_VERSION) return format;
  throw new StoreError(
    "format_too_new",
    `${dir.root} was written by a newer Mailkeep (format ${format.format}, this one knows ${FORMAT_VERSION}); nothing was changed`,
  );
}

/** Null when it is no such file. What a newer one holds besides its version is not ours to judge. */
function formatFromFile(dir: DataDir): Format | null {
  try {
    assertFile(dir.format);
    const { format, salt } = JSON.parse(readFileSync(dir.format, "utf8"));
    if (!Number.isInteger(format) || format < 1) return null;
    return format > FORMAT_VERSION || isSalt(salt) ? { format, salt } : null;
  } catch {
    return null;
  }
}

const isSalt = (salt: unknown): boolean =>
  Number.isInteger(salt) && Number(salt) >= 0 && Number(salt) <= MAX_SALT;

function formatFromLog(dir: DataDir): Format | null {
  for (const name of segmentsIn(dir)) {
    const found = readPrologue(readStart(dir.log, name));
    if (found !== null) return { format: found.version, salt: found.salt };
  }
  return null;
}

const segmentsIn = (dir: DataDir): SegmentName[] => (existsSync(dir.log) ? listSegments(dir.log) : []);

/** By the salts under which there are sound records; one for a log, none for an empty one. */
function logsIn(dir: DataDir, told: number | undefined): FoundLog[] {
  const logs = new Map<number, FoundLog>();
  for (const name of segmentsIn(dir)) {
    const found = formatOf(dir, name, told);
    if (found === null) continue;
    const { files = [], format = 0 } = logs.get(found.salt) ?? {};
    files.push(basename(segmentPath(dir.log, name)));
    logs.set(found.salt, { salt: found.salt, format: Math.max(format, found.format), files });
  }
  return [...logs.values()];
}

/** A segment whose beginning is damaged is read as a whole. Null when nothing in it is sound by any salt that is known. */
function formatOf(dir: DataDir, name: SegmentName, told: number | undefined): Format | null {
  const start = readStart(dir.log, name);
  const named = readPrologue(start);
  const salts = [named?.salt, told].filter((salt) => salt !== undefined);
  const isSound = (salt: number) => headIn(start, salt) !== null;
  const holdsSound = (salt: number) => findHeader(loadSegment(dir.log, name), 0, salt) >= 0;
  const salt = salts.find(isSound) ?? salts.find(holdsSound);
  return salt === undefined ? null : { format: named?.version ?? FORMAT_VERSION, salt };
}

function faultOf(dir: DataDir, told: Format | null): string {
  if (told !== null) return "it does not fit the log";
  return existsSync(dir.format) ? "it is damaged" : "it is missing";
}

function mixed(dir: DataDir, one: FoundLog, other: FoundLog): StoreError {
  return new StoreError(
    "data_dir_unusable",
    `${dir.log} holds files of two logs: ${listed(one.files)} of one, ${listed(other.files)} of another; nothing was changed. Leave the files of one log there, move the others to the log folder of an empty data folder, and start again`,
  );
}

function writeFormat(dir: DataDir, format: Format): void {
  const unfinished = `${dir.format}.new`;
  writeFileSync(unfinished, `${JSON.stringify(format)}\n`, { mode: FILE_MODE });
  renameSync(unfinished, dir.format);
}
