// What Linux says about a process in /proc. On other systems the figures are NaN.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

export const canMeasure = process.platform === "linux";

const TICKS_PER_SECOND = 100;
const UTIME = 11;
const STIME = 12;

/** Processor time in seconds, of all threads, user and system. */
export function cpuSeconds(pid: number): number {
  if (!existsSync(`/proc/${pid}/stat`)) return Number.NaN;
  // The name of the process, in parentheses, may contain blanks.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[UTIME]) + Number(fields[STIME])) / TICKS_PER_SECOND;
}

function statusMegabytes(pid: number, key: string): number {
  if (!existsSync(`/proc/${pid}/status`)) return Number.NaN;
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return (Number(new RegExp(`^${key}:\\s+(\\d+)`, "m").exec(status)?.[1]) * 1024) / 1e6;
}

export const residentMegabytes = (pid: number): number => statusMegabytes(pid, "VmRSS");
export const peakMegabytes = (pid: number): number => statusMegabytes(pid, "VmHWM");

export const descriptorsOf = (pid: number): number =>
  canMeasure ? readdirSync(`/proc/${pid}/fd`).length : Number.NaN;

/** Makes Linux forget the peak of memory so far. */
export function resetPeak(pid: number): void {
  if (existsSync(`/proc/${pid}/clear_refs`)) writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
