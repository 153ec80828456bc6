// Runs tasks in workers that are started when needed, killed when a task overruns its time, and
// ended when idle. Holds back a bounded queue; a second worker starts only when the first is stuck.
import { LightestFirst } from "../lib/lightest-first.ts";
import type { TaskName, TaskRequest, TaskResponse, Tasks } from "./tasks.ts";

export interface TaskPoolOptions {
  readonly startWorker: () => Worker;
  readonly timeoutMs: number;
}

export type TaskFailureCode = "timed_out" | "too_busy" | "failed" | "closed";

export class TaskFailure extends Error {
  constructor(
    readonly code: TaskFailureCode,
    message: string,
  ) {
    super(message);
    this.name = "TaskFailure";
  }
}

const MAX_WORKERS = 2;
const MAX_QUEUED = 256;
const IDLE_MS = 30_000;
/** How long the queue waits before another worker is worth its memory. */
const STUCK_MS = 50;
/** A new worker first loads its code. */
const START_MS = 3_000;

type Load<Name extends TaskName> = () => Tasks[Name]["input"] | Promise<Tasks[Name]["input"]>;

interface Job {
  readonly name: TaskName;
  /** Called when a worker is free: what waits takes no memory. */
  readonly load: Load<TaskName>;
  readonly resolve: (output: never) => void;
  readonly reject: (failure: TaskFailure) => void;
}

interface Lane {
  readonly worker: Worker;
  /** Its code is loaded; before that it gets more time. */
  isReady: boolean;
  job: Job | null;
  jobId: number;
  timer: Timer | null;
}

export class TaskPool {
  readonly #options: TaskPoolOptions;
  readonly #lanes = new Set<Lane>();
  readonly #queue = new LightestFirst<Job>();
  #relief: Timer | null = null;
  #nextId = 1;
  #isClosed = false;

  constructor(options: TaskPoolOptions) {
    this.#options = options;
  }

  /** The weight says what it may take, beside others. */
  run<Name extends TaskName>(name: Name, weight: number, load: Load<Name>): Promise<Tasks[Name]["output"]> {
    if (this.#isClosed) return Promise.reject(new TaskFailure("closed", "the server is stopping"));
    if (this.#queue.size >= MAX_QUEUED) {
      return Promise.reject(new TaskFailure("too_busy", "too many mails wait to be parsed"));
    }
    return new Promise((resolve, reject) => {
      this.#queue.add({ name, load, resolve, reject }, weight);
      this.#dispatch();
    });
  }

  close(): void {
    this.#isClosed = true;
    if (this.#relief) clearTimeout(this.#relief);
    const failure = new TaskFailure("closed", "the server is stopping");
    for (const job of this.#queue.takeAll()) job.reject(failure);
    for (const lane of this.#lanes) this.#end(lane, failure);
  }

  #dispatch(): void {
    while (this.#queue.size > 0) {
      const lane = this.#idleLane() ?? (this.#lanes.size === 0 ? this.#tryStart() : null);
      if (lane === null) {
        if (this.#lanes.size > 0) this.#callRelief();
        return;
      }
      this.#give(lane);
    }
  }

  #idleLane(): Lane | null {
    for (const lane of this.#lanes) if (lane.job === null) return lane;
    return null;
  }

  #callRelief(): void {
    if (this.#lanes.size >= MAX_WORKERS) return;
    this.#relief ??= setTimeout(() => {
      this.#relief = null;
      if (this.#queue.size === 0 || this.#lanes.size >= MAX_WORKERS) return;
      const lane = this.#tryStart();
      if (lane) this.#give(lane);
    }, STUCK_MS);
  }

  /** Null when no worker can be started now; what waits is then told, unless another worker is at it. */
  #tryStart(): Lane | null {
    try {
      return this.#start();
    } catch (error) {
      const failure = new TaskFailure("failed", error instanceof Error ? error.message : String(error));
      if (this.#lanes.size === 0) for (const job of this.#queue.takeAll()) job.reject(failure);
      return null;
    }
  }

  #start(): Lane {
    const worker = this.#options.startWorker();
    const lane: Lane = { worker, isReady: false, job: null, jobId: 0, timer: null };
    worker.onmessage = ({ data }: MessageEvent<TaskResponse | "ready">) => {
      if (data !== "ready") {
        this.#answer(lane, data);
        return;
      }
      lane.isReady = true;
      if (lane.job) this.#limit(lane);
    };
    worker.onerror = (event) => this.#end(lane, new TaskFailure("failed", event.message));
    // The process may end while a worker is idle.
    worker.unref();
    this.#lanes.add(lane);
    return lane;
  }

  #give(lane: Lane): void {
    const job = this.#queue.take();
    if (!job) return;
    lane.job = job;
    lane.jobId = this.#nextId++;
    this.#limit(lane);
    void this.#ask(lane, lane.jobId, job);
  }

  async #ask(lane: Lane, id: number, { name, load }: Job): Promise<void> {
    try {
      const request: TaskRequest = { id, name, input: await load() };
      if (lane.jobId === id && lane.job !== null) lane.worker.postMessage(request);
    } catch (error) {
      this.#answer(lane, { id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  #limit(lane: Lane): void {
    const limit = this.#options.timeoutMs + (lane.isReady ? 0 : START_MS);
    if (lane.timer) clearTimeout(lane.timer);
    lane.timer = setTimeout(
      () => this.#end(lane, new TaskFailure("timed_out", `not done within ${limit} ms`)),
      limit,
    );
  }

  #answer(lane: Lane, response: TaskResponse): void {
    const { job } = lane;
    if (job === null || response.id !== lane.jobId) return;
    lane.job = null;
    if (lane.timer) clearTimeout(lane.timer);
    lane.timer = setTimeout(() => this.#end(lane, null), IDLE_MS);
    lane.timer.unref();
    if ("error" in response) job.reject(new TaskFailure("failed", response.error));
    else job.resolve(response.output as never);
    this.#dispatch();
  }

  #end(lane: Lane, failure: TaskFailure | null): void {
    if (lane.timer) clearTimeout(lane.timer);
    this.#lanes.delete(lane);
    lane.worker.terminate();
    if (failure) lane.job?.reject(failure);
    lane.job = null;
    if (!this.#isClosed) this.#dispatch();
  }
}
