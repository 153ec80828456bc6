// The mailbox of a web shop in development, for screenshots and the accessibility test.
import type { SendMailOptions } from "nodemailer";
import { NEWSLETTER, orderTable, transactional } from "./html.ts";
import { pdf, picture } from "./pictures.ts";

const SHOP = '"Northwind Outfitters" <orders@northwind.example>';
const ACCOUNTS = '"Northwind Accounts" <no-reply@northwind.example>';

export interface SampleMail extends SendMailOptions {
  /** Tags to set after sending. */
  readonly tags?: readonly string[];
  readonly isRead?: boolean;
  readonly isStarred?: boolean;
}

/** Oldest first. */
export const SAMPLE_MAILS: readonly SampleMail[] = [
  {
    from: '"Mail Delivery System" <mailer-daemon@mx.northwind.example>',
    envelope: { from: "", to: ["orders@northwind.example"] },
    to: "orders@northwind.example",
    subject: "Undelivered Mail Returned to Sender",
    text: "I'm sorry to have to inform you that your message could not be delivered.\n\n<old.address@example.net>: host mx.example.net said: 550 5.1.1 No such user\n",
    isRead: true,
  },
  {
    from: '"Jürgen Großmann" <juergen@example.de>',
    to: "support@northwind.example",
    subject: "Rückfrage zur Lieferung nach Köln",
    text: "Guten Tag,\n\nkönnen Sie mir sagen, wann die Jacke in Größe L wieder verfügbar ist?\n\nMit freundlichen Grüßen\nJürgen Großmann\n",
    isRead: true,
  },
  {
    from: SHOP,
    to: '"Νίκος Παπαδάκης" <nikos@example.gr>',
    subject: "Η παραγγελία σας NW-20790",
    text: "Καλημέρα Νίκο,\n\nλάβαμε την παραγγελία σας και θα σας γράψουμε ξανά όταν αποσταλεί.\n\nNorthwind\n",
    isRead: true,
    tags: ["i18n"],
  },
  {
    from: '"Grafana" <alerts@monitoring.northwind.example>',
    to: ["oncall@northwind.example"],
    subject: "[FIRING:1] Checkout latency above 800 ms",
    text: "Checkout latency p95 is 913 ms (threshold 800 ms) for 5 minutes.\n\nPanel: http://localhost:3000/d/checkout\nRunbook: https://runbooks.northwind.example/checkout-latency\n",
    isRead: true,
  },
  {
    from: SHOP,
    to: '"Priya Raman" <priya@example.com>',
    subject: "Your parcel is on its way",
    text: "Hello Priya, your parcel left our warehouse this morning.",
    html: transactional(
      "Your parcel is on its way",
      "<p>Hello Priya,</p><p>your parcel left our warehouse this morning and should reach you on <b>Thursday</b>.</p>",
      { text: "Follow the parcel", href: "https://track.example/NW-20841" },
    ),
    isRead: true,
    tags: ["shipping"],
  },
  {
    from: '"Tom Okafor" <tom@northwind.example>',
    to: '"Design" <design@northwind.example>',
    cc: "lena@northwind.example",
    subject: "Re: Hero pictures for the winter page",
    text: "The second one, please. It leaves room for the headline.\n\nOn Tuesday Lena wrote:\n> Which of the three do you prefer?\n> The crops are final, the colours are not.\n\nTom\n",
    attachments: [
      { filename: "winter-hero-1.png", content: picture(480, 270, [36, 72, 110], [214, 230, 240]) },
      { filename: "winter-hero-2.png", content: picture(480, 270, [20, 84, 76], [244, 222, 179]) },
      { filename: "winter-hero-3.png", content: picture(480, 270, [96, 44, 88], [250, 205, 170]) },
      { filename: "briefing.docx", content: Buffer.alloc(18_400, 7) },
    ],
    isRead: true,
    isStarred: true,
  },
  {
    from: '"The Slow Kitchen" <letters@slowkitchen.example>',
    to: "lena@northwind.example",
    subject: "Bread for short days",
    html: NEWSLETTER,
    headers: {
      "List-Unsubscribe": "<https://slowkitchen.example/unsubscribe?u=81>",
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      "Authentication-Results":
        "mx.northwind.example; spf=pass smtp.mailfrom=slowkitchen.example; dkim=pass header.d=slowkitchen.example; dmarc=pass header.from=slowkitchen.example",
    },
  },
  {
    from: ACCOUNTS,
    to: '"Dana Whitfield" <dana@example.com>',
    subject: "Reset your password",
    text: "Hello Dana, reset your password here: http://localhost:8080/reset?token=7f3a9c (valid for 30 minutes)",
    html: transactional(
      "Reset your password",
      "<p>Hello Dana,</p><p>someone, hopefully you, asked to reset the password of your account. The link is valid for 30 minutes.</p>",
      { text: "Choose a new password", href: "http://localhost:8080/reset?token=7f3a9c" },
    ),
    tags: ["auth"],
  },
  {
    from: '"Northwind Billing" <billing@northwind.example>',
    to: '"Accounting, Fabrikam" <accounting@fabrikam.example>',
    bcc: "archive@northwind.example",
    subject: "Invoice 2026-1184",
    text: "Dear customer,\n\nplease find invoice 2026-1184 over EUR 1,284.50 attached. It is due on 14 December.\n\nKind regards\nNorthwind Billing\n",
    attachments: [
      {
        filename: "invoice-2026-1184.pdf",
        content: pdf(["Northwind Outfitters", "Invoice 2026-1184", "", "Total  EUR 1,284.50"]),
      },
      { filename: "terms.txt", content: "Payment within 30 days.\n" },
    ],
    tags: ["billing"],
    isStarred: true,
  },
  {
    from: '"CI" <ci@northwind.example>',
    to: ["dev@northwind.example"],
    subject: "checkout-service #4182 failed on main",
    text: "2 of 318 tests failed.\n\n  cart/discount.test.ts  rounds half a cent to even\n  mail/receipt.test.ts   names the shipping country\n\nhttps://ci.northwind.example/checkout-service/4182\n",
  },
  {
    from: ACCOUNTS,
    to: "new.customer@example.org",
    subject: "Confirm your e-mail address",
    text: "Your code is 482 913. It is valid for ten minutes.",
    html: transactional(
      "Confirm your e-mail address",
      '<p>Enter this code to finish setting up your account:</p><p style="font-size:34px;font-weight:700;letter-spacing:.14em;margin:18px 0">482 913</p><p>It is valid for ten minutes.</p>',
    ),
    tags: ["auth"],
  },
  {
    from: SHOP,
    to: '"Alice Martin" <alice.martin@example.com>',
    bcc: ["orders-audit@northwind.example"],
    subject: "Thank you for your order NW-20877",
    text: "Hello Alice, thank you for your order NW-20877. We will write again when it ships.",
    html: transactional(
      "Thank you, Alice",
      `<p><img src="cid:banner@northwind" width="488" height="150" alt="" style="max-width:100%;border-radius:8px"></p><p>We have your order <b>NW-20877</b> and will write again when it ships.</p>${orderTable(
        [
          ["Merino jumper, sea green", "€ 119.00"],
          ["Wool socks, three pairs", "€ 34.00"],
          ["Shipping", "€ 4.90"],
        ],
        "€ 157.90",
      )}`,
      { text: "See your order", href: "https://northwind.example/orders/NW-20877" },
    ),
    attachments: [
      {
        filename: "banner.png",
        cid: "banner@northwind",
        content: picture(976, 300, [14, 88, 84], [190, 222, 205]),
      },
      {
        filename: "receipt.pdf",
        content: pdf(["Northwind Outfitters", "Receipt NW-20877", "", "Total  EUR 157.90"]),
      },
    ],
    headers: {
      "Authentication-Results":
        "mx.example.com; spf=pass smtp.mailfrom=northwind.example; dkim=pass header.d=northwind.example header.s=k1; dmarc=fail (p=none) header.from=northwind.example",
    },
    tags: ["checkout", "receipt"],
  },
];
