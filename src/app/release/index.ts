export { Release, type ReleaseOptions } from "./release.ts";
export { ReleaseError, type ReleaseErrorCode } from "./release-error.ts";
