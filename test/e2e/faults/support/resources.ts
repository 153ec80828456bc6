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

/** Processor time so far, in seconds. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
