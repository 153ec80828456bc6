// Script and style of Swagger UI, embedded in the executable: an import gives the path of the file.
declare module "swagger-ui-dist/*" {
  const path: string;
  export = path;
}
