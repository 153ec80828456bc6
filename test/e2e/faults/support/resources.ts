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

/** How long threads have waited for a processor so far; 0 where nobody counts that. */
export function waitedForProcessorMs(threads: readonly string[]): number {
  const waited = (thread: string) => {
    try {
      return Number(readFileSync(`/proc/${thread}/schedstat`, "utf8").split(" ")[1]) / 1e6;
    } catch {
      return 0;
    }
  };
  return threads.reduce((sum, thread) => sum + waited(thread), 0);
}

export const THIS_THREAD = "thread-self";
export const mainThreadOf = (pid: number): string => `${pid}/task/${pid}`;

/** The search thread of a Mailkeep: the first worker that it starts. */
export function searchThreadOf(pid: number): string {
  if (!canMeasure) return "";
  const threads = readdirSync(`/proc/${pid}/task`).map((id) => `${pid}/task/${id}`);
  return threads.find((thread) => readFileSync(`/proc/${thread}/comm`, "utf8") === "Worker\n") ?? "";
}

/** Processor time so far, in seconds. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
