export { type RunningServer, startServer } from "./server.ts";
export { startWorker } from "./workers.ts";
