// The look of the sample mails: a small transactional template and a newsletter with its own dark colours.
export function transactional(title: string, body: string, button?: { text: string; href: string }): string {
  const action = button
    ? `<p style="margin:28px 0"><a href="${button.href}" style="background:#1f5eff;color:#ffffff;text-decoration:none;padding:12px 22px;border-radius:6px;font-weight:600">${button.text}</a></p>`
    : "";
  return `<!doctype html><html><body style="margin:0;background:#f2f4f8;font-family:Helvetica,Arial,sans-serif;color:#1c2430">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:32px 12px">
<table role="presentation" width="560" cellpadding="0" cellspacing="0" style="max-width:560px;width:100%;background:#ffffff;border-radius:10px">
<tr><td style="padding:26px 36px;border-bottom:1px solid #e8ebf1;font-weight:700;font-size:18px;color:#1f5eff">Northwind Outfitters</td></tr>
<tr><td style="padding:32px 36px;font-size:15px;line-height:1.6"><h1 style="margin:0 0 16px;font-size:23px;line-height:1.3">${title}</h1>${body}${action}</td></tr>
<tr><td style="padding:20px 36px;border-top:1px solid #e8ebf1;font-size:12px;color:#707a8a">Northwind Outfitters · 12 Harbour Street · You get this mail because you have an account with us.</td></tr>
</table></td></tr></table></body></html>`;
}

export function orderTable(rows: readonly (readonly [name: string, price: string])[], total: string): string {
  const cells = rows
    .map(
      ([name, price]) =>
        `<tr><td style="padding:9px 0;border-bottom:1px solid #eef0f5">${name}</td><td align="right" style="padding:9px 0;border-bottom:1px solid #eef0f5">${price}</td></tr>`,
    )
    .join("");
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="font-size:15px">${cells}<tr><td style="padding:12px 0;font-weight:700">Total</td><td align="right" style="padding:12px 0;font-weight:700">${total}</td></tr></table>`;
}

export const NEWSLETTER = `<!doctype html><html><head><meta name="color-scheme" content="light dark"><style>
body{margin:0;background:#faf6ef;color:#2b2620;font-family:Georgia,serif}
.sheet{max-width:600px;margin:0 auto;padding:36px 24px}
h1{font-size:30px;line-height:1.2;margin:0 0 8px}h2{font-size:20px;margin:28px 0 6px}p{font-size:16px;line-height:1.6;margin:0 0 14px}
.kicker{font:600 12px Arial,sans-serif;letter-spacing:.08em;color:#a3541d}
a{color:#a3541d}.foot{font:12px Arial,sans-serif;color:#857b6d;border-top:1px solid #e5dccd;padding-top:16px;margin-top:32px}
@media (prefers-color-scheme:dark){body{background:#1b1814;color:#e9e1d5}.kicker,a{color:#f0a36a}.foot{color:#a89c8b;border-color:#3a332a}}
</style></head><body><div class="sheet">
<p class="kicker">THE SLOW KITCHEN · NO. 48</p><h1>Bread for short days</h1>
<p>Three doughs that rise while you are out, and one that needs nothing but a cold window sill.</p>
<img src="https://images.slowkitchen.example/48/rye.jpg" width="552" height="240" alt="A loaf of rye" style="max-width:100%;background:#e8dcc8">
<h2>Rye, the patient way</h2><p>Mix in the evening, bake before breakfast. The dough forgives everything but hurry. <a href="https://slowkitchen.example/rye">Read the recipe</a></p>
<h2>Letters</h2><p>Marta from Gdańsk asks why her crust goes soft. It is the steam: open the door for the last ten minutes. <a href="http://slowkitchen.example/letters">All letters</a></p>
<p class="foot">You subscribed at slowkitchen.example. <a href="https://slowkitchen.example/unsubscribe?u=81">Unsubscribe</a></p>
</div></body></html>`;
