// What the system says about a process; only Linux says it.
import { readdirSync, readFileSync } from "node:fs";

export const canMeasure = process.platform === "linux";

export const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

function statusMiB(pid: number, key: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${key}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 1024;
}

export const residentMiB = (pid: number): number => statusMiB(pid, "VmRSS");
/** The most it had at any time. */
export const peakMiB = (pid: number): number => statusMiB(pid, "VmHWM");

/** How long the main thread of a process has waited for a processor so far; 0 where nobody counts that. */
export function waitedForProcessorMs(pid: number): number {
  try {
    const [, nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
    return Number(nanoseconds) / 1e6;
  } catch {
    return 0;
  }
}

/** Processor time so far, in seconds. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
