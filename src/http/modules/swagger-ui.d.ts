// The page's script and style, embedded in the executable: an import gives the path of the file.
declare module "swagger-ui-dist/swagger-ui-bundle.js" {
  const path: string;
  export = path;
}

declare module "swagger-ui-dist/swagger-ui.css" {
  const path: string;
  export = path;
}
