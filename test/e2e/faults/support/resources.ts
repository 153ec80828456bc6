// What the system says about a process; only Linux says it.
import { readdirSync, readFileSync } from "node:fs";

export const canMeasure = process.platform === "linux";

export const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

/** Processor time so far, in seconds. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
