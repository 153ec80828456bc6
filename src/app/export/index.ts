export { exportMbox, exportZip } from "./export.ts";
export { type ZipEntry, zip } from "./zip.ts";
