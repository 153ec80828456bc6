// What a link is for, guessed from its words and address in the languages that mail is written in.

export type LinkHint = "unsubscribe" | "verify" | "reset-password" | "sign-in" | "view-online" | "one-click";

const HINTS: readonly [LinkHint, RegExp][] = [
  [
    "unsubscribe",
    /unsubscri|opt[-_ ]?out|list-?manage.*unsub|manage (?:your )?(?:email )?preferences|abmelden|abbestellen|austragen|d[ée]sabonn|d[ée]sinscri|darse? de baja|cancelar (?:la )?suscripci|cancelar inscri|descadastr|disiscri|annulla l.iscrizione|uitschrijven|afmelden|wypisz|odhl[áa]sit|avprenumerer|avregistrer|afmeld|peruuta tilaus|abonelikten|отпис|відпис|配信停止|登録解除|退[订訂]|取消[订訂]|수신\s?거부/i,
  ],
  [
    "reset-password",
    /reset[-_ ]?(?:your[-_ ]?)?pass|password[-_/ ]?reset|forgot[-_ ]?pass|new[-_ ]password|passwort (?:zur[üu]cksetzen|neu)|r[ée]initialis|restablecer|redefinir|reimposta|wachtwoord (?:opnieuw|herstel)|zresetuj|сброс|パスワード.*(?:再設定|リセット)|重[置设設]密|비밀번호.*재설정/i,
  ],
  [
    "verify",
    /verif|confirm|activat|validat|best[äa]tig|aktivier|confirmer|activer|valider|confirmar|activar|ativar|conferma|attiva|bevestig|activeer|potwierd|aktywuj|bekr[äa]ft|bekr[æe]ft|vahvista|onayla|do[ğg]rula|подтверд|активир|підтверд|確認|認証|有効化|验证|驗證|激活|确认|確認|인증|확인/i,
  ],
  [
    "sign-in",
    /sign[-_ ]?in|log[-_ ]?in|magic[-_ ]?link|anmelden|einloggen|connexion|se connecter|iniciar sesi|entrar|acessar|accedi|inloggen|zaloguj|logga in|logg? ind?|kirjaudu|giri[şs]|войти|увійти|ログイン|サインイン|登录|登入|로그인/i,
  ],
  [
    "view-online",
    /view (?:this |it )?(?:email |message )?(?:in (?:your |a )?browser|online)|web[-_ ]?version|im browser (?:ansehen|anzeigen|öffnen)|online ansehen|version en ligne|dans (?:votre|le) navigateur|ver (?:en|no) (?:el |tu )?navegador|nel browser|in (?:de|je|uw) browser|w przegl[ąa]darce|в браузере|ブラウザ|浏览器|브라우저/i,
  ],
];

const MAX_LOOKED_AT_CHARS = 500;

export function hintsFor(text: string, url: string): LinkHint[] {
  const looked = `${text.slice(0, MAX_LOOKED_AT_CHARS)} ${url.slice(0, MAX_LOOKED_AT_CHARS)}`;
  return HINTS.filter(([, pattern]) => pattern.test(looked)).map(([hint]) => hint);
}
