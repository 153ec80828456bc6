interface Document<Operation> {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export const operationsOf = <Operation>({ paths }: Document<Operation>) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );

/** A name as a part of a JSON pointer inside a URI. */
export const pointerPart = (name: string) =>
  encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
