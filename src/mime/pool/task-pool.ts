// Runs tasks in up to two workers, in the order of arrival. Workers are started when needed, killed when a task takes
// too long, and ended when idle.

/** The tasks of a worker by name. Input and output are plain data. */
export type TaskTable = Readonly<Record<string, (input: never) => unknown>>;
export type InputOf<Tasks extends TaskTable, Name extends keyof Tasks> = Parameters<Tasks[Name]>[0];
export type OutputOf<Tasks extends TaskTable, Name extends keyof Tasks> = Awaited<ReturnType<Tasks[Name]>>;

interface TaskRequest {
  readonly name: string;
  readonly input: unknown;
}

type TaskResponse = { readonly output: unknown } | { readonly error: string };

const MAX_WORKERS = 2;
const IDLE_MS = 30_000;

interface Job {
  readonly name: string;
  /** Called when a worker is free, so that the input of waiting jobs is not in memory. */
  readonly load: () => unknown;
  readonly resolve: (output: never) => void;
  readonly reject: (error: Error) => void;
}

interface Lane {
  readonly worker: Worker;
  job: Job | null;
  timer: Timer | null;
}

export class TaskPool<Tasks extends TaskTable> {
  readonly #startWorker: () => Worker;
  readonly #timeoutMs: number;
  readonly #lanes = new Set<Lane>();
  readonly #queue: Job[] = [];
  #isClosed = false;

  constructor(startWorker: () => Worker, timeoutMs: number) {
    this.#startWorker = startWorker;
    this.#timeoutMs = timeoutMs;
  }

  run<Name extends keyof Tasks & string>(
    name: Name,
    load: () => InputOf<Tasks, Name> | Promise<InputOf<Tasks, Name>>,
  ): Promise<OutputOf<Tasks, Name>> {
    if (this.#isClosed) return Promise.reject(new Error("The server is stopping."));
    return new Promise((resolve, reject) => {
      this.#queue.push({ name, load, resolve, reject });
      this.#dispatch();
    });
  }

  close(): void {
    this.#isClosed = true;
    const error = new Error("The server is stopping.");
    for (const job of this.#queue.splice(0)) job.reject(error);
    for (const lane of this.#lanes) this.#end(lane, error);
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const idle = [...this.#lanes].find(({ job }) => job === null);
      if (!idle && this.#lanes.size >= MAX_WORKERS) return;
      const job = this.#queue.shift() as Job;
      try {
        void this.#give(idle ?? this.#start(), job);
      } catch (error) {
        job.reject(error as Error);
      }
    }
  }

  #start(): Lane {
    const worker = this.#startWorker();
    const lane: Lane = { worker, job: null, timer: null };
    worker.onmessage = ({ data }: MessageEvent<TaskResponse>) => this.#answer(lane, data);
    worker.onerror = ({ message }) => this.#end(lane, new Error(message));
    // An idle worker must not keep the process alive.
    worker.unref();
    this.#lanes.add(lane);
    return lane;
  }

  async #give(lane: Lane, job: Job): Promise<void> {
    lane.job = job;
    if (lane.timer) clearTimeout(lane.timer);
    const late = new Error(`not done within ${this.#timeoutMs} ms`);
    lane.timer = setTimeout(() => this.#end(lane, late), this.#timeoutMs);
    try {
      const request: TaskRequest = { name: job.name, input: await job.load() };
      if (lane.job === job) lane.worker.postMessage(request);
    } catch (error) {
      if (lane.job === job) this.#answer(lane, { error: String(error) });
    }
  }

  #answer(lane: Lane, response: TaskResponse): void {
    const { job } = lane;
    if (job === null) return;
    lane.job = null;
    if (lane.timer) clearTimeout(lane.timer);
    lane.timer = setTimeout(() => this.#end(lane, null), IDLE_MS);
    lane.timer.unref();
    if ("error" in response) job.reject(new Error(response.error));
    else job.resolve(response.output as never);
    this.#dispatch();
  }

  #end(lane: Lane, error: Error | null): void {
    if (lane.timer) clearTimeout(lane.timer);
    this.#lanes.delete(lane);
    lane.worker.terminate();
    if (error) lane.job?.reject(error);
    lane.job = null;
    if (!this.#isClosed) this.#dispatch();
  }
}

/** Runs in the worker. */
export function serveTasks(worker: Worker, tasks: TaskTable): void {
  const answer = async ({ name, input }: TaskRequest): Promise<TaskResponse> => {
    try {
      return { output: await tasks[name]?.(input as never) };
    } catch (error) {
      return { error: String(error) };
    }
  };
  worker.onmessage = async ({ data }: MessageEvent<TaskRequest>) => worker.postMessage(await answer(data));
}
