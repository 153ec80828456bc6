// Where Mailkeep stands on its site: at the root, or below a path such as /mail. The server has written it into the page.

const home = globalThis.document?.documentElement.dataset.home ?? "/";

/** Empty at the root. */
export const BASE_PATH = home.slice(0, -1);

/** A path of the site as one of Mailkeep. At the root everything is found as well. */
export function pathBelow(basePath: string, path: string): string {
  if (path === basePath) return "/";
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}
