// The small app that the README's examples test: it sends mail to the server of SMTP_URL and has a sign-up page.
import { createTransport } from "nodemailer";

function send(to: string, subject: string, text: string, smtpUrl = process.env.SMTP_URL): Promise<unknown> {
  const transport = createTransport(smtpUrl);
  return transport.sendMail({ from: "App <app@example.com>", to, subject, text });
}

export const signUp = (address: string): Promise<unknown> =>
  send(address, "Welcome", "Welcome! Your code is 482 913. It is valid for ten minutes.");

export const requestPasswordReset = (address: string): Promise<unknown> =>
  send(address, "Reset your password", "Choose a new password: https://app.example.com/reset?token=abc123");

const FORM = `<form method="post"><label>Email <input name="email"></label><button>Sign up</button></form>`;

export function startApp(smtpUrl?: string): Bun.Server<undefined> {
  const page = (body: string) => new Response(body, { headers: { "content-type": "text/html" } });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: {
      "/sign-up": {
        GET: () => page(FORM),
        POST: async (request) => {
          const address = String((await request.formData()).get("email"));
          await send(
            address,
            "Confirm your address",
            `Click here: ${new URL("/confirm", server.url)}`,
            smtpUrl,
          );
          return page("Look into your mailbox.");
        },
      },
      "/confirm": () => page("<h1>Confirmed</h1>"),
    },
  });
  return server;
}
