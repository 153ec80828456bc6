// The thread that parses mail. It keeps nothing, so it may be killed at any moment.
import { PARSE_TASKS, serveTasks } from "../mime/index.ts";

declare const self: Worker;

serveTasks(self, PARSE_TASKS);
