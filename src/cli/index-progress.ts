// Shows how far the indexes have been built, one bar (or series of lines) after the other.
import type { IndexProgress } from "../store/index.ts";
import { type Progress, type ProgressOptions, startProgress } from "./progress.ts";

const TASKS: Readonly<Record<IndexProgress["index"], string>> = {
  rows: "reading the log",
  search: "indexing the text",
};

export interface IndexProgressDisplay {
  update(progress: IndexProgress): void;
  end(): void;
}

export function showIndexProgress(options: Omit<ProgressOptions, "task">): IndexProgressDisplay {
  let current: { index: IndexProgress["index"]; progress: Progress } | null = null;
  const end = () => current?.progress.end();
  return {
    end,
    update({ index, done, total }) {
      if (current?.index !== index) {
        end();
        current = { index, progress: startProgress({ ...options, task: TASKS[index] }) };
      }
      current.progress.update(done, total);
    },
  };
}
