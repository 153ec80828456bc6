export { exportMbox, exportZip } from "./export.ts";
