// Where a webhook goes. Credentials leave the URL here and travel as Basic authorization (RFC 7617);
// path and query may hold a token, so people are shown the origin only.

export interface WebhookTarget {
  readonly url: string;
  readonly authorization: string | null;
  /** Fit for logs and answers. */
  readonly origin: string;
}

export function webhookTarget(address: string): WebhookTarget {
  const url = new URL(address);
  const { username, password, origin } = url;
  const isNamed = username !== "" || password !== "";
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  url.username = "";
  url.password = "";
  url.hash = "";
  const authorization = isNamed ? `Basic ${Buffer.from(credentials).toString("base64")}` : null;
  return { url: url.href, authorization, origin };
}
