// The thread that parses mail. It may be killed at any moment: it holds nothing.
import { answerTask, type TaskRequest } from "../mime/index.ts";

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<TaskRequest>) => self.postMessage(answerTask(data));

self.postMessage("ready");
