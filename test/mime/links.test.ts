// Finds each link of a message once, in order, with its text and its purpose, such as sign-in.
import { expect, test } from "bun:test";
import { findLinks } from "../../src/mime/index.ts";
import type { MessageLink } from "../../src/model/index.ts";

test("links of the HTML come in order, once, with their words", () => {
  const html =
    '<a href="https://x.test/verify?t=1&amp;u=2">Verify <b>now</b></a> <a href="/relative">no</a>' +
    '<a href="https://x.test/img"><img alt="Shop" src="x"></a><a href="mailto:help@x.test">Help</a>' +
    '<a href="javascript:1">no</a><a href="https://x.test/verify?t=1&amp;u=2">again</a><a href="tel:+4930">call</a>';
  expect(findLinks({ html, text: "" })).toEqual([
    { url: "https://x.test/verify?t=1&u=2", text: "Verify now", where: "html", rel: ["verify"] },
    { url: "https://x.test/img", text: "Shop", where: "html", rel: [] },
    { url: "mailto:help@x.test", text: "Help", where: "html", rel: [] },
    { url: "tel:+4930", text: "call", where: "html", rel: [] },
  ]);
});

test("an address as PHP writes it for HTML 5 is read as browsers do", () => {
  const html =
    "<a href='https&colon;&sol;&sol;x.test&sol;&quest;a&lbrack;0&rsqb;&equals;&lcub;b&rcub;&vert;c'>Go</a>";
  expect(findLinks({ html, text: "" })[0]?.url).toBe("https://x.test/?a[0]={b}|c");
});

const IN_TEXT: [text: string, urls: string[]][] = [
  ["Go to https://x.test/a.", ["https://x.test/a"]],
  ["(see https://x.test/a_(b))", ["https://x.test/a_(b)"]],
  ["(https://x.test/a)", ["https://x.test/a"]],
  ["More at https://x.test/a…", ["https://x.test/a"]],
  ["<https://x.test/a?b=c&d=e>", ["https://x.test/a?b=c&d=e"]],
  ["[https://x.test/a]", ["https://x.test/a"]],
  [
    "HTTPS://X.test and http://y.test, mailto:a@b.c; tel:+123!",
    ["HTTPS://X.test", "http://y.test", "mailto:a@b.c", "tel:+123"],
  ],
  ["詳細は「https://x.test/a」を。", ["https://x.test/a"]],
  ["ftp://x.test javascript:1", []],
  ["[https://x.test/1]Two", ["https://x.test/1"]],
  ["[a](https://x.test/1)[b](https://x.test/2)", ["https://x.test/1", "https://x.test/2"]],
  // A token used to lose its last character.
  ["Reset:\n\nhttps://x.test/r?t=abc_\n", ["https://x.test/r?t=abc_"]],
  ["Reset: https://x.test/r?t=abc_.", ["https://x.test/r?t=abc_"]],
  ["* https://x.test/~\n* https://x.test/abc*", ["https://x.test/~", "https://x.test/abc*"]],
  ["https://x.test/a~ https://x.test/b_", ["https://x.test/a~", "https://x.test/b_"]],
  ["<https://x.test/r?t=abc_>", ["https://x.test/r?t=abc_"]],
  ["<https://x.test/r?t=abc.>", ["https://x.test/r?t=abc."]],
  ["_Note:_ https://x.test/_a https://x.test/b_", ["https://x.test/_a", "https://x.test/b_"]],
  ["snake_case: https://x.test/a_", ["https://x.test/a_"]],
  [
    "**https://x.test/a**, _https://x.test/b_ and ~~https://x.test/c~~.",
    ["a", "b", "c"].map((page) => `https://x.test/${page}`),
  ],
  ["*Reset now: https://x.test/a*", ["https://x.test/a"]],
  ["‘https://x.test/a’, ‹https://x.test/b›", ["https://x.test/a", "https://x.test/b"]],
  // Only the first line of a wrapped address used to be found.
  ["Reset <https://x.test/r?t=abc-\ndef\r\nghi> now", ["https://x.test/r?t=abc-defghi"]],
  ["<https://x.test/1\nhttps://x.test/2>", ["https://x.test/1", "https://x.test/2"]],
  ["<URL:https://x.test/r?t=abc \n  def>", ["https://x.test/r?t=abcdef"]],
  ["<https://x.test/1\nor not>", ["https://x.test/1"]],
  ["<https://x.test/1\nmailto:a@x.test>", ["https://x.test/1", "mailto:a@x.test"]],
  // Text after the address used to become part of it.
  ["اضغط هنا: https://x.test/v?t=1، شكرا", ["https://x.test/v?t=1"]],
  ["کلک کریں https://x.test/v?t=1۔", ["https://x.test/v?t=1"]],
  ["هل https://x.test/v?t=1؟", ["https://x.test/v?t=1"]],
  ["اضغط \u202ahttps://x.test/v?t=1\u202c", ["https://x.test/v?t=1"]],
  ["\u200fhttps://x.test/v?t=1\u200f تم", ["https://x.test/v?t=1"]],
  ["\u2066https://x.test/v?t=1\u2069", ["https://x.test/v?t=1"]],
  ["https://x.test/v?t=1\u200b next", ["https://x.test/v?t=1"]],
  ["https://x.test/v?t=1をクリックしてください", ["https://x.test/v?t=1"]],
  ["请访问https://x.test/v?t=1完成验证；或https://x.test/w：", ["https://x.test/v?t=1", "https://x.test/w"]],
  ["https://x.test/v?t=1를 눌러 주세요", ["https://x.test/v?t=1"]],
  ["https://例え.test/日本語?q=東京の天気", ["https://例え.test/日本語?q=東京の天気"]],
];

for (const [text, urls] of IN_TEXT) {
  test(`text links of ${text}`, () => {
    expect(findLinks({ html: "", text }).map(({ url }) => url)).toEqual(urls);
  });
}

test("words of a link in cells, headings or lists of their own stay apart", () => {
  const html =
    '<a href="https://x.test/1"><table><tr><td>Click</td><td>h<b>er</b>e</td></tr></table></a>' +
    '<a href="https://x.test/2"><h3>Sale</h3>until Sunday</a>';
  expect(findLinks({ html, text: "" }).map(({ text }) => text)).toEqual(["Click here", "Sale until Sunday"]);
});

test("links among bare addresses of the HTML stand in the order of the document, with their own words", () => {
  const html =
    '<p>Open <span>https://x.test/1</span> or</p><a href="https://x.test/2">Two</a> and<br>' +
    'call tel:+49<wbr>30 now<div><a href="https://x.test/3">https://x.test/other</a></div>';
  expect(findLinks({ html, text: "See https://x.test/2 or https://x.test/4" })).toEqual([
    { url: "https://x.test/1", text: "Open", where: "html", rel: [] },
    { url: "https://x.test/2", text: "Two", where: "html", rel: [] },
    { url: "tel:+4930", text: "call", where: "html", rel: [] },
    { url: "https://x.test/3", text: "https://x.test/other", where: "html", rel: [] },
    { url: "https://x.test/4", text: "or", where: "text", rel: [] },
  ]);
});

const HINTED: [text: string, links: [label: string, rel: MessageLink["rel"]][]][] = [
  [
    "Verify: https://x.test/1 Unsubscribe: https://x.test/2",
    [
      ["Verify", ["verify"]],
      ["Unsubscribe", ["unsubscribe"]],
    ],
  ],
  [
    "Shop: https://x.test/1 | Unsubscribe: https://x.test/2",
    [
      ["Shop", []],
      ["Unsubscribe", ["unsubscribe"]],
    ],
  ],
  ["Do not unsubscribe. Our shop: https://x.test/1", [["Our shop", []]]],
  ["Visit https://x.test/1 to unsubscribe.", [["Visit", ["unsubscribe"]]]],
  ["News at https://x.test/1 - write to us to unsubscribe.", [["News at", []]]],
  ["Please [confirm it](https://x.test/1), then unsubscribe.", [["confirm it", ["verify"]]]],
  ["To unsubscribe:\n\nhttps://x.test/1", [["To unsubscribe", ["unsubscribe"]]]],
  ["You can unsubscribe.\nhttps://x.test/1", [["", []]]],
  [
    "Hi. Follow this link to verify your email address.\n\nhttps://x.test/1",
    [["Follow this link to verify your email address", ["verify"]]],
  ],
  [
    "下記のURLからパスワードを再設定してください。\nhttps://x.test/1",
    [["下記のURLからパスワードを再設定してください", ["reset-password"]]],
  ],
  ["If you did not ask to reset your password, click below.\nhttps://x.test/1", [["", []]]],
  ["Click the button to verify it. Our shop:\nhttps://x.test/1", [["Our shop", []]]],
  [
    "Please confirm it by the link below. This link expires in two days.\n\nhttps://x.test/1",
    [["Please confirm it by the link below", ["verify"]]],
  ],
  [
    "Click the button to verify it. Your trial expires soon, buy here:\nhttps://x.test/1",
    [["Your trial expires soon, buy here", []]],
  ],
  ["You clicked the link, so your address is confirmed.\nhttps://x.test/1", [["", []]]],
  ["Do not share this link to sign in.\nhttps://x.test/1", [["", []]]],
  ["Unsubscribe\n\nhttps://x.test/1", [["", []]]],
  [
    "Done. https://x.test/1\n[1]: https://x.test/2",
    [
      ["", []],
      ["", []],
    ],
  ],
  [
    "https://x.test/1, https://x.test/2",
    [
      ["", []],
      ["", []],
    ],
  ],
];

for (const [text, links] of HINTED) {
  test(`a text link does not take its neighbour's words: ${text}`, () => {
    const found = findLinks({ html: "", text }).map(({ text, rel }) => [text, rel]);
    expect(found).toEqual(links);
  });
}

const LABELS: [hint: MessageLink["rel"][number], labels: string[]][] = [
  [
    "unsubscribe",
    [
      "Cancelar a inscrição",
      "Darme de baja",
      "Anular suscripción",
      "Avmeld",
      "Leiratkozás",
      "إلغاء الاشتراك",
      "Berhenti berlangganan",
    ],
  ],
  [
    "reset-password",
    [
      "Forgot your password?",
      "Reset my password",
      "Change my password",
      "Set up your password",
      "Create a new password",
      "Link to reset credentials",
      "Recover your account",
      "/userResetPassword?t=1",
      "Neues Passwort festlegen",
      "Kennwort jetzt ändern",
      "Choisir un nouveau mot de passe",
      "Modifier mon mot de passe",
      "Crear nueva contraseña",
      "Alterar a senha",
      "Cambia la password",
      "Stel een nieuw wachtwoord in",
      "Ustaw nowe hasło",
      "Изменить пароль",
      "Відновити пароль",
      "パスワードを変更",
      "修改密码",
      "비밀번호 변경",
      "Återställ lösenord",
      "Obnovit heslo",
      "Şifreyi sıfırla",
    ],
  ],
  [
    "verify",
    [
      "Complete your registration",
      "Zweryfikuj adres",
      "Vérifier mon e-mail",
      "Ověřit e-mail",
      "Επιβεβαίωση",
      "Xác nhận",
      "ยืนยันอีเมล",
    ],
  ],
  [
    "sign-in",
    [
      "Sign me in",
      "Log back in",
      "Connectez-vous",
      "Inicia sesión",
      "Iniciar sessão",
      "Oturum aç",
      "Вход в кабинет",
      "Přihlásit se",
      "Bejelentkezés",
      "Σύνδεση",
      "Đăng nhập",
      "تسجيل الدخول",
    ],
  ],
  ["view-online", ["Online-Version", "Bekijk in browser", "Visa i webbläsaren", "在瀏覽器中查看"]],
];

for (const [hint, labels] of LABELS) {
  test.each(labels)(`%s says what a link is for: ${hint}`, (label) => {
    const html = `<a href="https://x.test/a">${label}</a>`;
    expect(findLinks({ html, text: "" })).toEqual([
      { url: "https://x.test/a", text: label, where: "html", rel: [hint] },
    ]);
  });
}

test("words that only look like signing in or a password do not say what a link is for", () => {
  const rel = (label: string) =>
    findLinks({ html: `<a href="https://x.test/a">${label}</a>`, text: "" })[0]?.rel;
  for (const label of [
    "Designing forms",
    "Design inspiration",
    "Our blog in May",
    "Vlogging in May",
    "Change passenger",
    "Exchange passes",
    "Redefining travel",
    "Deactivate these mails",
    "Désactiver mon compte",
    "Disattiva",
    "Dezaktywuj",
    "Consejos para una contraseña segura",
    "Concentrar",
  ]) {
    expect([label, rel(label)]).toEqual([label, []]);
  }
  const ways = ["Sign in", "Log-in", "Log into ACME", "weblogin", "/userSignIn?t=1", "(sign in)"];
  for (const label of [...ways, "Finish signing in", "Trouble logging in?"]) {
    expect([label, rel(label)]).toEqual([label, ["sign-in"]]);
  }
  expect(rel("Change your password")).toEqual(["reset-password"]);
});

const HINTED_HTML: [html: string, rel: MessageLink["rel"][]][] = [
  ['<p>To unsubscribe <a href="https://x.test/1">click here</a>.</p>', [["unsubscribe"]]],
  ['<p><a href="https://x.test/1">Click here</a> to <b>unsubscribe</b>.</p>', [["unsubscribe"]]],
  [
    '<a href="https://x.test/1">Shop</a> Unsubscribe: <a href="https://x.test/2">here</a>',
    [[], ["unsubscribe"]],
  ],
  ['<a href="https://x.test/1">Shop</a> | <a href="https://x.test/2">Unsubscribe</a>', [[], ["unsubscribe"]]],
  ['<p>Unsubscribe any time.</p><a href="https://x.test/1">Shop</a>', [[]]],
  [
    '<td>Hi. Use the button below to sign in.</td></tr><tr><td><a href="https://x.test/1">Go</a></td><td><a href="https://x.test/2">Help</a>',
    [["sign-in"], []],
  ],
  ['<p>To confirm it:</p><a href="https://x.test/1">https://x.test/1</a>', [["verify"]]],
  // The first words of the mail describe the button, not the logo right after them.
  [
    '<p>Click below to confirm it.</p><a href="https://x.test/1"><img alt="Acme"></a><a href="https://x.test/2">Go</a>',
    [[], ["verify"]],
  ],
  [
    '<p>Click below to confirm it.</p><a href="https://x.test/1">Acme</a><a href="https://x.test/2">Confirm</a>',
    [[], ["verify"]],
  ],
];

for (const [html, rel] of HINTED_HTML) {
  test(`a link of the HTML is for what its own sentence says: ${html}`, () => {
    expect(findLinks({ html, text: "" }).map((link) => link.rel)).toEqual(rel);
  });
}

test("a link in a template, which is not shown, is not listed", () => {
  const html = '<template><a href="https://x.test/1">x</a></template><a href="https://x.test/2">y</a>';
  expect(findLinks({ html, text: "" }).map(({ url }) => url)).toEqual(["https://x.test/2"]);
});

test("a label that is cut ends with a whole character", () => {
  const html = `<a href="https://x.test/1">a${"🎉".repeat(500)}</a>`;
  expect(findLinks({ html, text: "" })[0]?.text).toMatch(/^a🎉+$/u);
});

test("the words before a text link tell what it is for", () => {
  expect(findLinks({ html: "", text: "Reset your password: https://x.test/r/1" })[0]).toEqual({
    url: "https://x.test/r/1",
    text: "Reset your password",
    where: "text",
    rel: ["reset-password"],
  });
});

test("a folded address in List-Unsubscribe loses the space of its fold", () => {
  const value = "<https://x.test/u/ 1>, <mailto:u@x.test?subject=take me off>";
  const links = findLinks({ html: "", text: "", headers: [{ name: "List-Unsubscribe", value }] });
  expect(links.map(({ url }) => url)).toEqual(["https://x.test/u/1", "mailto:u@x.test?subject=take me off"]);
});

test("List-Unsubscribe gives links, and marks those that the body already has", () => {
  const headers = [
    { name: "List-Unsubscribe", value: "<https://x.test/u/1>, <mailto:u@x.test?subject=off>" },
    { name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" },
  ];
  expect(findLinks({ html: '<a href="https://x.test/u/1">Stop</a>', text: "", headers })).toEqual([
    { url: "https://x.test/u/1", text: "Stop", where: "html", rel: ["unsubscribe", "one-click"] },
    { url: "mailto:u@x.test?subject=off", text: "", where: "headers", rel: ["unsubscribe"] },
  ]);
});
